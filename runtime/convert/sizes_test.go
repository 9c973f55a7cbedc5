package convert

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
)

// scales is an API type with integers that its storage type has as int64.
type scales struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   *scalesSpec            `json:"spec,omitzero"`
	Status *fixtures.GadgetStatus `json:"status,omitzero"`
}

type scalesSpec struct {
	Size  *int8             `json:"size,omitzero"`
	Parts []scalesSpec      `json:"parts,omitzero"`
	Ports map[string]uint16 `json:"ports,omitzero"`
	Wide  *int64            `json:"wide,omitzero"`
}

type storedScales struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   *storedScalesSpec      `json:"spec,omitzero"`
	Status *fixtures.StoredStatus `json:"status,omitzero"`
}

type storedScalesSpec struct {
	Size            *int64              `json:"size,omitzero"`
	Parts           []storedScalesSpec  `json:"parts,omitzero"`
	Ports           map[string]int64    `json:"ports,omitzero"`
	Wide            *int64              `json:"wide,omitzero"`
	OriginalVersion string              `json:"originalVersion,omitzero"`
	PropertyBag     runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func (*scales) OriginalGVK() *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: fixtures.Group, Version: fixtures.GadgetVersion, Kind: "Scales"}
}
func (s *scales) StatusBag() *string       { return genruntime.GetBag(s.Status) }
func (s *scales) SetStatusBag(bag *string) { genruntime.SetBag(&s.Status, bag) }

// TestPlansRefuseIntegersThatTheAPITypeLacks converts integers in both directions. A plan must
// refuse those that the API type cannot represent, because Go types hide them, or read them as raw
// values.
func TestPlansRefuseIntegersThatTheAPITypeLacks(t *testing.T) {
	plan := Plan{API: &scales{}, Storage: &storedScales{}, Hub: &storedScales{}, HubVersion: fixtures.Group + "/" + gadgetHub}
	if err := RegisterPlans(plan); err != nil {
		t.Fatal(err)
	}
	kind := schema.GroupKind{Group: fixtures.Group, Kind: "Scales"}
	up, down := NewConverter(kind, fixtures.GadgetVersion, gadgetHub), NewConverter(kind, gadgetHub, fixtures.GadgetVersion)
	for spec, want := range map[string]Refusal{
		`{"size":127}`:                            Converted,
		`{"size":-128,"wide":300}`:                Converted,
		`{"wide":9223372036854775807}`:            Converted,
		`{"ports":{"a":65535,"b":0}}`:             Converted,
		`{"parts":[{},{"parts":[{"size":127}]}]}`: Converted,
		`{"size":128}`:                            WrongType,
		`{"size":-129,"wide":300}`:                WrongType,
		`{"ports":{"a":1,"b":65536}}`:             WrongType,
		`{"ports":{"a":-1}}`:                      WrongType,
		`{"parts":[{},{"parts":[{"size":300}]}]}`: WrongType,
	} {
		for direction, c := range map[string]*Converter{gadgetHead: up, gadgetHubHead: down} {
			object := strings.Replace(direction, "Gadget", "Scales", 1) + `,"spec":` + spec + `}`
			out, why := c.Append(t.Context(), nil, []byte(object))
			if why != want {
				t.Errorf("%s: the plan answers %q with %s, want %q", object, why, out, want)
			}
		}
	}
}
