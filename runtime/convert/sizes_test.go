package convert

import (
	"fmt"
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

// racks is an API type that differs from another instance of it in the size of its integers alone.
type racks[Integer int32 | int64] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   *racksSpec[Integer]    `json:"spec,omitzero"`
	Status *fixtures.GadgetStatus `json:"status,omitzero"`
}

type racksSpec[Integer int32 | int64] struct {
	Parts []racksPart[Integer] `json:"parts,omitzero"`
}

type racksPart[Integer int32 | int64] struct {
	Color  *string  `json:"color,omitzero"`
	Height *Integer `json:"height,omitzero"`
}

type storedRacks struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   *storedRacksSpec       `json:"spec,omitzero"`
	Status *fixtures.StoredStatus `json:"status,omitzero"`
}

type storedRacksSpec struct {
	Parts           []storedRacksPart   `json:"parts,omitzero"`
	OriginalVersion string              `json:"originalVersion,omitzero"`
	PropertyBag     runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type storedRacksPart struct {
	Color       *string             `json:"color,omitzero"`
	Height      *int64              `json:"height,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func (*racks[Integer]) OriginalGVK() *schema.GroupVersionKind {
	kind := fmt.Sprintf("Racks%T", Integer(0))
	return &schema.GroupVersionKind{Group: fixtures.Group, Version: fixtures.GadgetVersion, Kind: kind}
}
func (r *racks[Integer]) StatusBag() *string       { return genruntime.GetBag(r.Status) }
func (r *racks[Integer]) SetStatusBag(bag *string) { genruntime.SetBag(&r.Status, bag) }

// BenchmarkSizes converts an object of 5 KB with 100 integers to the hub. Plans check integers of
// the API version that are smaller than those of storage, and no others.
func BenchmarkSizes(b *testing.B) {
	b.Run("int64", func(b *testing.B) { benchmarkSizes(b, &racks[int64]{}) })
	b.Run("int32", func(b *testing.B) { benchmarkSizes(b, &racks[int32]{}) })
}

func benchmarkSizes(b *testing.B, api runtime.Hider) {
	gvk := api.OriginalGVK()
	plan := Plan{API: api, Storage: &storedRacks{}, Hub: &storedRacks{}, HubVersion: fixtures.Group + "/" + gadgetHub}
	if err := RegisterPlans(plan); err != nil {
		b.Fatal(err)
	}
	up := NewConverter(gvk.GroupKind(), gvk.Version, gadgetHub)
	part := `{"color":"` + strings.Repeat("c", 20) + `","height":2147}`
	object := []byte(strings.Replace(gadgetHead, "Gadget", gvk.Kind, 1) + `,"spec":{"parts":[` + strings.Repeat(part+",", 99) + part + `]}}`)
	b.ReportAllocs()
	var out []byte
	for b.Loop() {
		var why Refusal
		if out, why = up.Append(b.Context(), out[:0], object); why != Converted {
			b.Fatal(why)
		}
	}
}

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
