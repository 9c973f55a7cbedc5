package convert

import (
	"encoding/json"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// A chest has two versions. The spec of the first is open. The second names two members more, and
// is stored.
type (
	openChest struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitzero"`

		Spec   *openChestSpec         `json:"spec,omitzero"`
		Status *fixtures.GadgetStatus `json:"status,omitzero"`
	}
	openChestSpec struct {
		Known                *string                 `json:"known,omitzero"`
		Trays                []tray                  `json:"trays,omitzero"`
		Tags                 map[string]string       `json:"tags,omitzero"`
		AdditionalProperties map[string]runtime.JSON `json:"-"`
	}
	storedOpenChest struct {
		Known                *string                 `json:"known,omitzero"`
		Trays                []storedTray            `json:"trays,omitzero"`
		Tags                 map[string]string       `json:"tags,omitzero"`
		AdditionalProperties map[string]runtime.JSON `json:"-"`
		OriginalVersion      string                  `json:"originalVersion,omitzero"`
		PropertyBag          runtime.PropertyBag     `json:"$propertyBag,omitzero"`
	}
	namedChest struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitzero"`

		Spec   *namedChestSpec        `json:"spec,omitzero"`
		Status *fixtures.GadgetStatus `json:"status,omitzero"`
	}
	namedChestSpec struct {
		Known  *string           `json:"known,omitzero"`
		Danger *bool             `json:"danger,omitzero"`
		Inner  *tray             `json:"inner,omitzero"`
		Trays  []tray            `json:"trays,omitzero"`
		Tags   map[string]string `json:"tags,omitzero"`
	}
	tray struct {
		Size *int64 `json:"size,omitzero"`
	}
	storedChest struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitzero"`

		Spec   *storedChestSpec       `json:"spec,omitzero"`
		Status *fixtures.StoredStatus `json:"status,omitzero"`
	}
	storedChestSpec struct {
		Known           *string             `json:"known,omitzero"`
		Danger          *bool               `json:"danger,omitzero"`
		Inner           *storedTray         `json:"inner,omitzero"`
		Trays           []storedTray        `json:"trays,omitzero"`
		Tags            map[string]string   `json:"tags,omitzero"`
		OriginalVersion string              `json:"originalVersion,omitzero"`
		PropertyBag     runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}
	storedTray struct {
		Size        *int64              `json:"size,omitzero"`
		PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}
)

func (s openChestSpec) MarshalJSON() ([]byte, error) {
	type fixed openChestSpec
	return genruntime.MarshalOpen(fixed(s), s.AdditionalProperties)
}

func (s *openChestSpec) UnmarshalJSON(data []byte) error {
	type fixed openChestSpec
	return genruntime.UnmarshalOpen(data, (*fixed)(s), &s.AdditionalProperties, "known", "tags", "trays")
}

func (s storedOpenChest) MarshalJSON() ([]byte, error) {
	type fixed storedOpenChest
	return genruntime.MarshalOpen(fixed(s), s.AdditionalProperties)
}

func (s *storedOpenChest) UnmarshalJSON(data []byte) error {
	type fixed storedOpenChest
	return genruntime.UnmarshalOpen(data, (*fixed)(s), &s.AdditionalProperties, "known", "tags", "trays", "originalVersion", "$propertyBag")
}

const (
	openVersion  = fixtures.OldVersion
	namedVersion = fixtures.HubVersion
)

func chestGVK(version string) *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: fixtures.Group, Version: version, Kind: "Chest"}
}

func (*openChest) OriginalGVK() *schema.GroupVersionKind  { return chestGVK(openVersion) }
func (c *openChest) StatusBag() *string                   { return genruntime.GetBag(c.Status) }
func (c *openChest) SetStatusBag(bag *string)             { genruntime.SetBag(&c.Status, bag) }
func (*namedChest) OriginalGVK() *schema.GroupVersionKind { return chestGVK(namedVersion) }
func (c *namedChest) StatusBag() *string                  { return genruntime.GetBag(c.Status) }
func (c *namedChest) SetStatusBag(bag *string)            { genruntime.SetBag(&c.Status, bag) }

func traysTo(src []tray) (dst []storedTray) {
	_ = genruntime.ListTo(&dst, src, func(src *tray, dst *storedTray) error { dst.Size = src.Size; return nil })
	return dst
}

func traysFrom(src []storedTray) (dst []tray) {
	_ = genruntime.ListFrom(&dst, src, func(dst *tray, src *storedTray) error { dst.Size = src.Size; return nil })
	return dst
}

var chestFurthers = genruntime.Furthers{
	{Name: "danger", Key: "danger", Kind: "b"}, {Name: "inner", Key: "inner", Kind: "o"},
}

// upOpen stores a chest of the first version.
func upOpen(data []byte) ([]byte, error) {
	var c openChest
	if err := Decode(data, &c); err != nil {
		return nil, err
	}
	stored := storedChest{TypeMeta: chestType(namedVersion + "storage"), ObjectMeta: c.ObjectMeta}
	var spec *storedOpenChest
	if c.Spec != nil {
		spec = &storedOpenChest{
			Known: c.Spec.Known, Trays: traysTo(c.Spec.Trays), Tags: genruntime.StoredKeys(c.Spec.Tags),
			AdditionalProperties: c.Spec.AdditionalProperties, OriginalVersion: openVersion,
		}
	}
	if err := genruntime.ObjectTo(&stored.Status, c.Status, (*fixtures.GadgetStatus).ConvertToStorage); err != nil {
		return nil, err
	}
	genruntime.Restore(&c, &spec, &stored.Status)
	if spec != nil {
		to := &storedChestSpec{Known: spec.Known, Trays: spec.Trays, Tags: spec.Tags, OriginalVersion: spec.OriginalVersion, PropertyBag: genruntime.Lower(spec, chestFurthers)}
		genruntime.Recall(&to.PropertyBag, "danger", &to.Danger)
		genruntime.Recall(&to.PropertyBag, "inner", &to.Inner)
		genruntime.Raise(to, chestFurthers)
		stored.Spec = to
	}
	return Encode(&stored)
}

// downOpen is the reverse of upOpen.
func downOpen(data []byte) ([]byte, error) {
	var stored storedChest
	if err := Decode(data, &stored); err != nil {
		return nil, err
	}
	c := openChest{TypeMeta: chestType(openVersion), ObjectMeta: stored.ObjectMeta}
	var spec *storedOpenChest
	if from := stored.Spec; from != nil {
		spec = &storedOpenChest{Known: from.Known, Trays: from.Trays, Tags: from.Tags, OriginalVersion: from.OriginalVersion, PropertyBag: genruntime.Lower(from, chestFurthers)}
		genruntime.Stash(&spec.PropertyBag, "danger", from.Danger)
		genruntime.Stash(&spec.PropertyBag, "inner", from.Inner)
		genruntime.Raise(spec, chestFurthers)
		c.Spec = &openChestSpec{Known: spec.Known, Trays: traysFrom(spec.Trays), Tags: genruntime.APIKeys(spec.Tags), AdditionalProperties: spec.AdditionalProperties}
	}
	if err := genruntime.ObjectFrom(&c.Status, stored.Status, (*fixtures.GadgetStatus).ConvertFromStorage); err != nil {
		return nil, err
	}
	genruntime.Hide(&c, spec, stored.Status)
	return Encode(&c)
}

// upNamed stores a chest of the second version.
func upNamed(data []byte) ([]byte, error) {
	var c namedChest
	if err := Decode(data, &c); err != nil {
		return nil, err
	}
	stored := storedChest{TypeMeta: chestType(namedVersion + "storage"), ObjectMeta: c.ObjectMeta}
	if c.Spec != nil {
		stored.Spec = &storedChestSpec{
			Known: c.Spec.Known, Danger: c.Spec.Danger, Trays: traysTo(c.Spec.Trays), Tags: genruntime.StoredKeys(c.Spec.Tags), OriginalVersion: namedVersion,
		}
		if c.Spec.Inner != nil {
			stored.Spec.Inner = &storedTray{Size: c.Spec.Inner.Size}
		}
	}
	if err := genruntime.ObjectTo(&stored.Status, c.Status, (*fixtures.GadgetStatus).ConvertToStorage); err != nil {
		return nil, err
	}
	genruntime.Restore(&c, &stored.Spec, &stored.Status)
	return Encode(&stored)
}

// downNamed is the reverse of upNamed.
func downNamed(data []byte) ([]byte, error) {
	var stored storedChest
	if err := Decode(data, &stored); err != nil {
		return nil, err
	}
	c := namedChest{TypeMeta: chestType(namedVersion), ObjectMeta: stored.ObjectMeta}
	if from := stored.Spec; from != nil {
		c.Spec = &namedChestSpec{Known: from.Known, Danger: from.Danger, Trays: traysFrom(from.Trays), Tags: genruntime.APIKeys(from.Tags)}
		if from.Inner != nil {
			c.Spec.Inner = &tray{Size: from.Inner.Size}
		}
	}
	if err := genruntime.ObjectFrom(&c.Status, stored.Status, (*fixtures.GadgetStatus).ConvertFromStorage); err != nil {
		return nil, err
	}
	genruntime.Hide(&c, stored.Spec, stored.Status)
	return Encode(&c)
}

func chestType(version string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: fixtures.Group + "/" + version, Kind: "Chest"}
}

func chestOf(version, spec string) []byte {
	return []byte(`{"apiVersion":"` + fixtures.Group + `/` + version + `","kind":"Chest","metadata":{"name":"c"},"spec":` + spec + `}`)
}

// chests are specs that no schema foresaw.
var chests = []string{
	`{"danger":true}`, `{"danger":"text"}`, `{"danger":null}`, `{"danger":[1]}`, `{"danger":{"":1}}`, `{"Danger":true}`, `{"known":1,"danger":false}`,
	`{"inner":{"size":1}}`, `{"inner":{"size":1,"lid":true}}`, `{"inner":{"size":"s"}}`, `{"inner":{"size":null}}`, `{"inner":null}`, `{"inner":[]}`, `{"inner":{}}`,
	`{"inner":{"$propertyBag":{"size":1}}}`, `{"inner":{"$propertyBag":{"size@v20190909!raw":"s"}}}`, `{"inner":{"size@v20190909!raw":"s","":1,"@":2}}`,
	`{"$propertyBag":{"danger":true,"inner":{"size":1}}}`, `{"$propertyBag":1,"$$propertyBag":{"danger":true}}`, `{"$propertyBag":{"$additionalProperties":{"danger":true}}}`,
	`{"$additionalProperties":{"danger":true},"$coveredProperties":{"danger":{}},"$foreignProperties":{"danger":1},"$namedProperties":{"danger":true}}`,
	`{"danger@v20190909!raw":"x","known@v20110101!raw":7,"@v20110101!raw":{},"danger":true}`,
	`{"trays":[1,{"size":2},{"size":"s"},"t"]}`, `{"trays":7,"tags":["a"]}`, `{"tags":{"$propertyBag":"a","$$propertyBag":"b","":"c"}}`, `{"tags":{"a":1,"b":"c"}}`,
	`{"trays":[{"$propertyBag":{"size":1},"size@v20110101!raw":"s"}]}`, `{"trays@v20110101!elements!raw":{"0":1},"trays":[{}]}`,
	`{"":1,"@":2,"!raw":3,"__proto__":{"danger":true}}`, `{"known":"k","free":[null,{"a":null}],"danger":1e400}`,
}

// ofBothVersions converts a spec through both versions, first stored by each of them, and
// requires the same spec. The other version writes the spec that it has read, without an edit.
func ofBothVersions(t rapid.TB, spec string) {
	t.Helper()
	open, named := shape.Of(reflect.TypeFor[openChestSpec]()), shape.Of(reflect.TypeFor[namedChestSpec]())
	visible := throughVersions(t, spec, open, version{openVersion, upOpen, downOpen}, version{namedVersion, upNamed, downNamed})
	had, _ := specIn(t, chestOf(openVersion, spec)).(map[string]any)
	if _, fits := had["danger"].(bool); fits != (visible["danger"] != nil) || fits && visible["danger"] != had["danger"] {
		t.Fatalf("%s is read by the other version as %v", shortened(spec), visible)
	}
	throughVersions(t, spec, named, version{namedVersion, upNamed, downNamed}, version{openVersion, upOpen, downOpen})
}

// version is a version of chests, and how they convert.
type version struct {
	name     string
	up, down func([]byte) ([]byte, error)
}

// throughVersions writes a spec in one version, and reads and writes it in the other one. It
// fails unless the first version then reads the same spec, apart from values that its type loses.
// It returns the spec that the other version reads.
func throughVersions(t rapid.TB, spec string, of *shape.Shape, own, other version) map[string]any {
	t.Helper()
	value, err := jsontext.Parse([]byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(remaining(of, value))
	if err != nil {
		t.Fatal(err)
	}
	do := func(work func([]byte) ([]byte, error), object []byte) []byte {
		out, err := work(object)
		if err != nil {
			t.Fatalf("%s by %s: %v", shortened(spec), own.name, err)
		}
		return out
	}
	stored := do(own.up, chestOf(own.name, spec))
	visible := do(other.down, stored)
	again := do(other.up, visible)
	back := do(own.down, again)
	if got, want := specIn(t, back), specIn(t, chestOf(own.name, string(want))); !reflect.DeepEqual(got, want) {
		t.Fatalf("%s comes back to %s as %s, stored as %s, and as %s", shortened(spec), own.name, shortened(string(back)), shortened(string(stored)), shortened(string(again)))
	}
	if !reflect.DeepEqual(specIn(t, stored), specIn(t, again)) {
		t.Fatalf("%s is stored as %s, and by the other version as %s", shortened(spec), shortened(string(stored)), shortened(string(again)))
	}
	read, _ := specIn(t, visible).(map[string]any)
	return read
}

func TestUnforeseenJSONOfOpenVersions(t *testing.T) {
	for _, spec := range chests {
		ofBothVersions(t, spec)
	}
	for _, name := range fixtures.OddNames {
		quoted := string(jsontext.AppendText(nil, name))
		for _, value := range []string{`1`, `{}`, `{"size":"s"}`, `[{"danger":1}]`, `null`} {
			ofBothVersions(t, `{"x":true,`+quoted+`:`+value+`}`)
			ofBothVersions(t, `{"inner":{"size":1,`+quoted+`:`+value+`},"danger":true}`)
		}
	}
}

func TestAnyJSONOfOpenVersionsComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := jsonDrawer{t}
		spec, _ := d.object(shape.Of(reflect.TypeFor[openChestSpec]()), 4).(map[string]any)
		for _, name := range []string{"danger", "inner"} {
			if rapid.Bool().Draw(t, name) {
				spec[name] = d.value(shape.Of(reflect.TypeFor[namedChestSpec]()).Member(name).Shape, 3)
			}
		}
		data, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		ofBothVersions(t, string(data))
	})
}

func FuzzOpenVersions(f *testing.F) {
	for _, spec := range chests {
		f.Add(spec)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		value, err := jsontext.Parse([]byte(spec))
		object, ok := value.(map[string]any)
		if err != nil || !ok || !jsontext.IsValid([]byte(spec)) || hasTwiceIn([]byte(spec)) || object[label.OriginalVersion] != nil {
			return
		}
		ofBothVersions(t, spec)
	})
}
