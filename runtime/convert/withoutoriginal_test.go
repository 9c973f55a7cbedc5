package convert

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// crate is an API type whose storage type has no original version, like that of a kind that a
// project stores by itself.
type crate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   *crateSpec             `json:"spec,omitzero"`
	Status *fixtures.GadgetStatus `json:"status,omitzero"`
}

type crateSpec struct {
	Size *string `json:"size,omitzero"`
}

type storedCrate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   *storedCrateSpec       `json:"spec,omitzero"`
	Status *fixtures.StoredStatus `json:"status,omitzero"`
}

type storedCrateSpec struct {
	Size        *string             `json:"size,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func (*crate) OriginalGVK() *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: fixtures.Group, Version: fixtures.GadgetVersion, Kind: "Crate"}
}
func (c *crate) StatusBag() *string       { return genruntime.GetBag(c.Status) }
func (c *crate) SetStatusBag(bag *string) { genruntime.SetBag(&c.Status, bag) }

func crateUp(data []byte) ([]byte, error) {
	var from crate
	if err := Decode(data, &from); err != nil {
		return nil, err
	}
	to := storedCrate{TypeMeta: metav1.TypeMeta{APIVersion: fixtures.Group + "/" + gadgetHub, Kind: "Crate"}, ObjectMeta: from.ObjectMeta}
	err := genruntime.FirstError(
		genruntime.ObjectTo(&to.Spec, from.Spec, func(src *crateSpec, dst *storedCrateSpec) error { dst.Size = src.Size; return nil }),
		genruntime.ObjectTo(&to.Status, from.Status, (*fixtures.GadgetStatus).ConvertToStorage))
	if err != nil {
		return nil, err
	}
	genruntime.Restore(&from, &to.Spec, &to.Status)
	return Encode(&to)
}

// TestPlanOfKindWithoutOriginalVersion wants a plan to write no original version that a bag names
// into a spec that has none.
func TestPlanOfKindWithoutOriginalVersion(t *testing.T) {
	plan := Plan{API: &crate{}, Storage: &storedCrate{}, Hub: &storedCrate{}, HubVersion: fixtures.Group + "/" + gadgetHub}
	if err := RegisterPlans(plan); err != nil {
		t.Fatal(err)
	}
	up := NewConverter(schema.GroupKind{Group: fixtures.Group, Kind: "Crate"}, fixtures.GadgetVersion, gadgetHub)
	head := strings.Replace(gadgetHead, "Gadget", "Crate", 1)
	for _, test := range []struct {
		reason, bag string
		want        string
	}{
		{"no bag", ``, `{"size":"s"}`},
		{"another version", `{"fingerprints":1,"format":1,"originalVersion":"v20110101","shown":"AAAAAAAAAAA"}`, `{"size":"s"}`},
		{"of fingerprints of another version", `{"fingerprints":2,"format":1,"originalVersion":"v20110101"}`, `{"size":"s"}`},
		{"this version", `{"fingerprints":1,"format":1,"originalVersion":"` + fixtures.GadgetVersion + `"}`, `{"size":"s"}`},
		{"a hidden value", `{"fingerprints":1,"format":1,"spec":{"bag":{"a":1}}}`, `{"size":"s","$propertyBag":{"a":1}}`},
		{"both", `{"fingerprints":1,"format":1,"originalVersion":"v20110101","shown":"AAAAAAAAAAA","spec":{"bag":{"a":1}}}`, `{"size":"s","$propertyBag":{"a":1}}`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			object := head + `,"spec":{"size":"s"}`
			if test.bag != "" {
				object += `,"status":{"propertyBag":` + string(jsontext.AppendText(nil, test.bag)) + `}`
			}
			stored := converted(t, test.reason, up, []byte(object+`}`), crateUp)
			fixtures.SameJSONText(t, "the stored spec", jsontext.MemberOf(stored, "spec"), test.want)
			if _, ok := tryAppend(up, nil, []byte(object+`}`)); !ok && test.reason != "both" {
				t.Error("the plan refuses it")
			}
		})
	}
}

// labeled is like crate, and its storage spec begins with a string.
type labeled struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   *labeledSpec           `json:"spec,omitzero"`
	Status *fixtures.GadgetStatus `json:"status,omitzero"`
}

type labeledSpec struct {
	Label string `json:"label"`
}

type storedLabeled struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   *storedLabeledSpec     `json:"spec,omitzero"`
	Status *fixtures.StoredStatus `json:"status,omitzero"`
}

type storedLabeledSpec struct {
	Label       string              `json:"label"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func (*labeled) OriginalGVK() *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: fixtures.Group, Version: fixtures.GadgetVersion, Kind: "Labeled"}
}
func (l *labeled) StatusBag() *string       { return genruntime.GetBag(l.Status) }
func (l *labeled) SetStatusBag(bag *string) { genruntime.SetBag(&l.Status, bag) }

func labeledUp(data []byte) ([]byte, error) {
	var from labeled
	if err := Decode(data, &from); err != nil {
		return nil, err
	}
	to := storedLabeled{TypeMeta: metav1.TypeMeta{APIVersion: fixtures.Group + "/" + gadgetHub, Kind: "Labeled"}, ObjectMeta: from.ObjectMeta}
	err := genruntime.FirstError(
		genruntime.ObjectTo(&to.Spec, from.Spec, func(src *labeledSpec, dst *storedLabeledSpec) error { dst.Label = src.Label; return nil }),
		genruntime.ObjectTo(&to.Status, from.Status, (*fixtures.GadgetStatus).ConvertToStorage))
	if err != nil {
		return nil, err
	}
	genruntime.Restore(&from, &to.Spec, &to.Status)
	return Encode(&to)
}

func labeledDown(data []byte) ([]byte, error) {
	var from storedLabeled
	if err := Decode(data, &from); err != nil {
		return nil, err
	}
	to := labeled{TypeMeta: metav1.TypeMeta{APIVersion: fixtures.Group + "/" + fixtures.GadgetVersion, Kind: "Labeled"}, ObjectMeta: from.ObjectMeta}
	err := genruntime.FirstError(
		genruntime.ObjectTo(&to.Spec, from.Spec, func(src *storedLabeledSpec, dst *labeledSpec) error { dst.Label = src.Label; return nil }),
		genruntime.ObjectTo(&to.Status, from.Status, func(src *fixtures.StoredStatus, dst *fixtures.GadgetStatus) error { return dst.ConvertFromStorage(src) }))
	if err != nil {
		return nil, err
	}
	genruntime.Hide(&to, from.Spec, from.Status)
	return Encode(&to)
}

// TestFirstTextOfSpecIsNoOriginalVersion converts a kind without an original version whose spec
// begins with a string. No value of it is an original version, in either direction and engine: a
// bag has only what is hidden, and an original version in a bag changes nothing.
func TestFirstTextOfSpecIsNoOriginalVersion(t *testing.T) {
	plan := Plan{API: &labeled{}, Storage: &storedLabeled{}, Hub: &storedLabeled{}, HubVersion: fixtures.Group + "/" + gadgetHub}
	if err := RegisterPlans(plan); err != nil {
		t.Fatal(err)
	}
	kind := schema.GroupKind{Group: fixtures.Group, Kind: "Labeled"}
	up, down := NewConverter(kind, fixtures.GadgetVersion, gadgetHub), NewConverter(kind, gadgetHub, fixtures.GadgetVersion)
	rename := strings.NewReplacer("Gadget", "Labeled")
	for _, label := range []string{"", "text", fixtures.OldVersion, fixtures.GadgetVersion} {
		spec := `"label":"` + label + `"`
		for bag, want := range map[string]string{
			"":                        "",
			`,"$propertyBag":{"a":1}`: `{"fingerprints":1,"format":1,"noStatus":true,"spec":{"bag":{"a":1}}}`,
		} {
			stored := rename.Replace(gadgetHubHead) + `,"spec":{` + spec + bag + `}}`
			visible := converted(t, "down", down, []byte(stored), labeledDown)
			if got := string(jsontext.Unquoted(jsontext.MemberOf(jsontext.MemberOf(visible, "status"), "propertyBag"))); got != want {
				t.Errorf("%s has the status bag %s, want %s", stored, got, want)
			}
			back := converted(t, "up", up, visible, labeledUp)
			fixtures.SameJSONText(t, "the stored spec", jsontext.MemberOf(back, "spec"), `{`+spec+bag+`}`)
		}
		forged := `{"fingerprints":1,"format":1,"originalVersion":"` + fixtures.OldVersion + `","shown":"AAAAAAAAAAA"}`
		object := rename.Replace(gadgetHead) + `,"spec":{` + spec + `},"status":{"propertyBag":` + string(jsontext.AppendText(nil, forged)) + `}}`
		fixtures.SameJSONText(t, "the spec of a bag with an original version", jsontext.MemberOf(converted(t, "up", up, []byte(object), labeledUp), "spec"), `{`+spec+`}`)
	}
}

// TestEditsOfLargeNumbers changes a number that no Go type represents exactly, in free JSON of an
// object that hides a value. The result must have the client's number, and the object must count
// as written in this version.
func TestEditsOfLargeNumbers(t *testing.T) {
	up, down := gadgetWays(t)
	for _, numbers := range [][2]string{
		{"9223372036854775808", "9223372036854775809"},
		{"18446744073709551615", "18446744073709551616"},
		{"-9223372036854775809", "-9223372036854775810"},
		{"9223372036854775807", "9223372036854775808"},
		{"100000000000000000000", "100000000000000000001"},
	} {
		stored := gadgetHubHead + `,"spec":{"free":` + numbers[0] + `,"parts":[{"color":"c","$propertyBag":{"k":1}}],"any":{"n":` + numbers[0] + `},"originalVersion":"` + fixtures.OldVersion + `"}}`
		visible := converted(t, "down", down, []byte(stored), gadgetDown)
		if strings.Count(string(visible), numbers[0]) != 2 {
			t.Fatalf("%s is shown as %s", stored, visible)
		}
		same := converted(t, "up", up, visible, gadgetUp)
		if !strings.Contains(string(same), fixtures.OldVersion) {
			t.Errorf("without an edit, %s is stored as %s", stored, same)
		}
		for _, member := range []string{`"free":`, `"n":`} {
			edited := strings.Replace(string(visible), member+numbers[0], member+numbers[1], 1)
			if edited == string(visible) {
				t.Fatalf("%s has no %s", visible, member)
			}
			again := converted(t, "up after an edit", up, []byte(edited), gadgetUp)
			spec := jsontext.MemberOf(again, "spec")
			if !strings.Contains(string(spec), member+numbers[1]) || !strings.Contains(string(spec), `"$propertyBag":{"k":1}`) {
				t.Errorf("%s is stored as %s", edited, again)
			}
			if original := string(jsontext.MemberOf(spec, "originalVersion")); original == `"`+fixtures.OldVersion+`"` {
				t.Errorf("an edit of %s to %s is not seen: the original version is still %s", numbers[0], numbers[1], original)
			}
		}
	}
}
