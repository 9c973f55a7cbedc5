package genruntime_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/runtime/genruntime"
)

// crate is a hand-written API type: its size is an int32, and storage has an int64.
type crate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   crateSpec   `json:"spec,omitempty"`
	Status crateStatus `json:"status,omitempty"`
}

type crateSpec struct {
	Size int32           `json:"size"`
	Keep metav1.Duration `json:"keep,omitempty"`
	Tags []tag           `json:"tags,omitempty"`
	Lid  *lid            `json:"lid,omitempty"`
	Lids []lid           `json:"lids,omitempty"`
	Sets map[string]lid  `json:"sets,omitempty"`
}

type lid struct {
	Width int32 `json:"width"`
}

type storedLid struct {
	Width       *int64              `json:"width,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func (l *lid) toStorage(dst *storedLid) error {
	return genruntime.ObjectTo(&dst.Width, &l.Width, genruntime.IntegerTo[int32])
}

func (l *lid) fromStorage(src *storedLid) error {
	return genruntime.ValueFrom(&l.Width, src.Width, genruntime.IntegerFrom[int32])
}

type tag string

type crateStatus struct {
	runtime.VersionedStatus `json:",inline"`
}

type storedCrate struct {
	Size            *int64               `json:"size,omitzero"`
	Keep            *string              `json:"keep,omitzero"`
	Tags            []string             `json:"tags,omitzero"`
	Lid             *storedLid           `json:"lid,omitzero"`
	Lids            []storedLid          `json:"lids,omitzero"`
	Sets            map[string]storedLid `json:"sets,omitzero"`
	OriginalVersion string               `json:"originalVersion,omitzero"`
	PropertyBag     runtime.PropertyBag  `json:"$propertyBag,omitzero"`
}

type storedCrateStatus struct {
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func (c *crate) StatusBag() *string       { return *c.Status.Bag() }
func (c *crate) SetStatusBag(bag *string) { *c.Status.Bag() = bag }
func (c *crate) OriginalGVK() *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Crate"}
}

func (c *crate) toStorage() (*storedCrate, *storedCrateStatus, error) {
	spec, status := &storedCrate{OriginalVersion: "v1", Tags: genruntime.CastList[string](genruntime.FilledList(c.Spec.Tags))}, &storedCrateStatus{}
	err := genruntime.FirstError(
		genruntime.ObjectTo(&spec.Size, &c.Spec.Size, genruntime.IntegerTo[int32]),
		genruntime.JSONTo(&c.Spec.Keep, &spec.Keep),
		genruntime.ObjectTo(&spec.Lid, c.Spec.Lid, (*lid).toStorage),
		genruntime.ListTo(&spec.Lids, c.Spec.Lids, (*lid).toStorage),
		genruntime.MapTo(&spec.Sets, c.Spec.Sets, (*lid).toStorage),
	)
	genruntime.Restore(c, &spec, &status)
	genruntime.Reveal(c, spec, status)
	return spec, status, err
}

func (c *crate) fromStorage(spec *storedCrate, status *storedCrateStatus) error {
	c.Spec.Tags = genruntime.CastList[tag](spec.Tags)
	err := genruntime.FirstError(
		genruntime.ValueFrom(&c.Spec.Size, spec.Size, genruntime.IntegerFrom[int32]),
		genruntime.JSONFrom(&c.Spec.Keep, &spec.Keep),
		genruntime.ObjectFrom(&c.Spec.Lid, spec.Lid, (*lid).fromStorage),
		genruntime.ListFrom(&c.Spec.Lids, spec.Lids, (*lid).fromStorage),
		genruntime.MapFrom(&c.Spec.Sets, spec.Sets, (*lid).fromStorage),
	)
	return genruntime.HideOwn(c, spec, status, err, c.toStorage)
}

func TestUnrepresentableValuesComeBack(t *testing.T) {
	for _, one := range []struct {
		reason string
		stored storedCrate
		edit   func(*crate)
		want   storedCrate
	}{
		{
			reason: "a long integer is hidden while nobody edits what is shown instead",
			stored: storedCrate{Size: new(int64(1 << 40)), Keep: new("1h0m0s"), OriginalVersion: "v1"},
			want:   storedCrate{Size: new(int64(1 << 40)), Keep: new("1h0m0s"), OriginalVersion: "v1"},
		},
		{
			reason: "an edit stands",
			stored: storedCrate{Size: new(int64(1 << 40)), Keep: new("1h0m0s"), OriginalVersion: "v1"},
			edit:   func(c *crate) { c.Spec.Size = 7 },
			want:   storedCrate{Size: new(int64(7)), Keep: new("1h0m0s"), OriginalVersion: "v1"},
		},
		{
			reason: "what is no duration is hidden, and so is the zero that is shown for what is absent beside it",
			stored: storedCrate{Keep: new("never"), OriginalVersion: "v1"},
			want:   storedCrate{Keep: new("never"), OriginalVersion: "v1"},
		},
		{
			reason: "another spelling comes back where something is hidden",
			stored: storedCrate{Size: new(int64(1)), Keep: new("60m"), OriginalVersion: "v2"},
			want:   storedCrate{Size: new(int64(1)), Keep: new("60m"), OriginalVersion: "v2"},
		},
		{
			reason: "beside what another version left",
			stored: storedCrate{Size: new(int64(1 << 40)), Keep: new("1h0m0s"), OriginalVersion: "v1", PropertyBag: runtime.PropertyBag{"a": runtime.JSON("1"), "z": runtime.JSON("2")}},
			want:   storedCrate{Size: new(int64(1 << 40)), Keep: new("1h0m0s"), OriginalVersion: "v1", PropertyBag: runtime.PropertyBag{"a": runtime.JSON("1"), "z": runtime.JSON("2")}},
		},
		{
			reason: "in objects within, in lists and in maps",
			stored: wideLids(),
			want:   wideLids(),
		},
		{
			reason: "an edit in one of them stands, and changes no other",
			stored: wideLids(),
			edit: func(c *crate) {
				c.Spec.Lid.Width, c.Spec.Lids[1].Width = 7, 8
				c.Spec.Sets["b"] = lid{9}
			},
			want: func() storedCrate {
				c := wideLids()
				c.Lid.Width, c.Lids[1].Width = new(int64(7)), new(int64(8))
				c.Sets["b"] = storedLid{Width: new(int64(9))}
				return c
			}(),
		},
		{
			reason: "an absent width in a list comes back where something is hidden",
			stored: storedCrate{Size: new(int64(1)), Keep: new("1h0m0s"), Lids: []storedLid{{}, {Width: new(int64(0))}}, Sets: map[string]storedLid{}, OriginalVersion: "v2"},
			want:   storedCrate{Size: new(int64(1)), Keep: new("1h0m0s"), Lids: []storedLid{{}, {Width: new(int64(0))}}, Sets: map[string]storedLid{}, OriginalVersion: "v2"},
		},
		{
			reason: "where nothing is hidden, a zero is shown for what is absent, and stays",
			stored: storedCrate{OriginalVersion: "v1"},
			want:   storedCrate{Size: new(int64(0)), Keep: new("0s"), OriginalVersion: "v1"},
		},
	} {
		t.Run(one.reason, func(t *testing.T) {
			var c crate
			if err := c.fromStorage(&one.stored, &storedCrateStatus{}); err != nil {
				t.Fatal(err)
			}
			if one.edit != nil {
				one.edit(&c)
			}
			got, _, err := c.toStorage()
			if err != nil {
				t.Fatal(err)
			}
			if spelled(t, got) != spelled(t, &one.want) {
				t.Errorf("got %s, want %s\nshown %s", spelled(t, got), spelled(t, &one.want), spelled(t, &c))
			}
		})
	}
}

// wideLids returns values within objects, lists and maps that a version cannot represent.
func wideLids() storedCrate {
	wide := func() *int64 { return new(int64(1 << 40)) }
	return storedCrate{
		Size: new(int64(1)), Keep: new("1h0m0s"), OriginalVersion: "v1",
		Lid: &storedLid{Width: wide()}, Lids: []storedLid{{Width: new(int64(1))}, {Width: wide()}, {Width: wide()}},
		Sets: map[string]storedLid{"a": {Width: wide()}, "b": {Width: wide()}, "c": {}},
	}
}

func spelled(t *testing.T, value any) string {
	t.Helper()
	data, err := convert.Encode(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestScalarsThatDoNotFit(t *testing.T) {
	for _, one := range []struct {
		reason          string
		err             error
		unrepresentable bool
	}{
		{"an int8 holds 127", genruntime.IntegerFrom(new(int8), new(int64(127))), false},
		{"an int8 does not hold 128", genruntime.IntegerFrom(new(int8), new(int64(128))), true},
		{"an unsigned integer is not negative", genruntime.IntegerFrom(new(uint64), new(int64(-1))), true},
		{"a float32 holds what it prints", genruntime.NumberFrom(new(float32), new(0.1)), false},
		{"a float32 does not hold all digits", genruntime.NumberFrom(new(float32), new(0.123456789012)), true},
		{"a duration is no name", genruntime.JSONFrom(new(metav1.Duration), new(new("ever"))), true},
		{"storage has 63 bits", genruntime.IntegerTo(new(uint64(1<<63)), new(int64)), false},
	} {
		if genruntime.IsUnrepresentable(one.err) != one.unrepresentable {
			t.Errorf("%s: %v", one.reason, one.err)
		}
	}
	if err := genruntime.IntegerTo(new(uint64(1<<63)), new(int64)); err == nil {
		t.Error("an integer of 64 bits was stored in 63")
	}
}

func TestWrongValuesOfWrittenTypeComeBack(t *testing.T) {
	const wrong = `{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"name":"odd"},"spec":{"size":"big","keep":5,"tags":"none"},"status":{}}`
	var read crate
	if err := convert.Decode([]byte(wrong), &read); err != nil {
		t.Fatal(err)
	}
	spec, status, err := read.toStorage()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(spec.PropertyBag), 3; got != want {
		t.Errorf("%d values are kept, want %d: %s", got, want, spelled(t, spec))
	}
	visible := crate{TypeMeta: read.TypeMeta, ObjectMeta: read.ObjectMeta}
	if err := visible.fromStorage(spec, status); err != nil {
		t.Fatal(err)
	}
	const want = `{"kind":"Crate","apiVersion":"example.com/v1","metadata":{"name":"odd"},"spec":{"size":"big","keep":5,"tags":"none"},"status":{}}`
	if got := spelled(t, &visible); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
