package genruntime

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
)

// A resource with an API version and its own storage type, as strata generates them, in miniature.

// lastAppliedKey is the annotation in which clients declare what they want.
const lastAppliedKey = "kubectl.kubernetes.io/last-applied-configuration"

const gadgetVersion = "v20140404"

type gadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   *gadgetSpec   `json:"spec,omitzero"`
	Status *gadgetStatus `json:"status,omitzero"`
}

type gadgetSpec struct {
	Size   *string                 `json:"size,omitzero"`
	Count  *int64                  `json:"count,omitzero"`
	Main   *gadgetPart             `json:"main,omitzero"`
	Parts  []gadgetPart            `json:"parts,omitzero"`
	Ports  []gadgetPort            `json:"ports,omitzero"`
	Rows   [][]gadgetPart          `json:"rows,omitzero"`
	Rules  []gadgetPort            `json:"rules,omitzero"`
	Spares gadgetSpares            `json:"spares,omitzero"`
	Tags   map[string]string       `json:"tags,omitzero"`
	Lines  []string                `json:"lines,omitzero"`
	Open   *gadgetOpen             `json:"open,omitzero"`
	Any    *gadgetAny              `json:"any,omitzero"`
	Free   runtime.JSON            `json:"free,omitzero"`
	Owner  *runtime.Owner          `json:"owner,omitzero"`
	Boxes  map[string][]gadgetPart `json:"boxes,omitzero"`
	Opens  []gadgetOpen            `json:"opens,omitzero"`
	Grid   []map[string]gadgetPart `json:"grid,omitzero"`
}

type gadgetSpares = map[string]gadgetPart

type gadgetPart struct {
	Color  *string           `json:"color,omitzero"`
	Weight *int64            `json:"weight,omitzero"`
	Ratio  *float64          `json:"ratio,omitzero"`
	On     *bool             `json:"on,omitzero"`
	Labels map[string]string `json:"labels,omitzero"`
	Inner  *gadgetPart       `json:"inner,omitzero"`
	Parts  []gadgetPart      `json:"parts,omitzero"`
}

type gadgetPort struct {
	ID     *string     `json:"id,omitzero"`
	Name   *string     `json:"name,omitzero"`
	Number *int64      `json:"number,omitzero"`
	Part   *gadgetPart `json:"part,omitzero"`
}

type gadgetOpen struct {
	Known                *gadgetPart           `json:"known,omitzero"`
	AdditionalProperties map[string]gadgetPart `json:"-"`
}

func (o gadgetOpen) MarshalJSON() ([]byte, error) {
	type fixed gadgetOpen
	return MarshalOpen(fixed(o), o.AdditionalProperties)
}

func (o *gadgetOpen) UnmarshalJSON(data []byte) error {
	type fixed gadgetOpen
	return UnmarshalOpen(data, (*fixed)(o), &o.AdditionalProperties, "known")
}

// gadgetAny is open to any JSON, and has a property that is called like a property bag.
type gadgetAny struct {
	Own                  *string                 `json:"$$propertyBag,omitzero"`
	Free                 runtime.JSON            `json:"free,omitzero"`
	AdditionalProperties map[string]runtime.JSON `json:"-"`
}

func (o gadgetAny) MarshalJSON() ([]byte, error) {
	type fixed gadgetAny
	return MarshalOpen(fixed(o), o.AdditionalProperties)
}

func (o *gadgetAny) UnmarshalJSON(data []byte) error {
	type fixed gadgetAny
	return UnmarshalOpen(data, (*fixed)(o), &o.AdditionalProperties, "$$propertyBag", "free")
}

type gadgetStatus struct {
	Main        *gadgetPart        `json:"main,omitzero"`
	Conditions  []metav1.Condition `json:"conditions,omitzero"`
	PropertyBag *string            `json:"propertyBag,omitzero"`
}

func (s *gadgetStatus) Bag() **string { return &s.PropertyBag }

func (g *gadget) StatusBag() *string       { return GetBag(g.Status) }
func (g *gadget) SetStatusBag(bag *string) { SetBag(&g.Status, bag) }

func (g *gadget) OriginalGVK() *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: group, Version: gadgetVersion, Kind: "Gadget"}
}

type storedGadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   *storedSpec   `json:"spec,omitzero"`
	Status *storedStatus `json:"status,omitzero"`
}

type storedSpec struct {
	Size            *string                 `json:"size,omitzero" default:"\"small\""`
	Count           *int64                  `json:"count,omitzero"`
	Main            *storedPart             `json:"main,omitzero"`
	Parts           []storedPart            `json:"parts,omitzero"`
	Ports           []storedPort            `json:"ports,omitzero"`
	Rows            [][]storedPart          `json:"rows,omitzero"`
	Rules           []storedPort            `json:"rules,omitzero" strata:"key=name,number"`
	Spares          map[string]storedPart   `json:"spares,omitzero"`
	Tags            map[string]string       `json:"tags,omitzero"`
	Lines           []string                `json:"lines,omitzero"`
	Open            *storedOpen             `json:"open,omitzero"`
	Any             *storedAny              `json:"any,omitzero"`
	Free            runtime.JSON            `json:"free,omitzero"`
	Owner           *runtime.Owner          `json:"owner,omitzero"`
	Boxes           map[string][]storedPart `json:"boxes,omitzero"`
	Opens           []storedOpen            `json:"opens,omitzero"`
	Grid            []map[string]storedPart `json:"grid,omitzero"`
	OriginalVersion string                  `json:"originalVersion,omitzero"`
	PropertyBag     runtime.PropertyBag     `json:"$propertyBag,omitzero"`
}

type storedPart struct {
	Color       *string             `json:"color,omitzero"`
	Weight      *int64              `json:"weight,omitzero"`
	Ratio       *float64            `json:"ratio,omitzero"`
	On          *bool               `json:"on,omitzero"`
	Labels      map[string]string   `json:"labels,omitzero"`
	Inner       *storedPart         `json:"inner,omitzero"`
	Parts       []storedPart        `json:"parts,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type storedPort struct {
	ID          *string             `json:"id,omitzero"`
	Name        *string             `json:"name,omitzero"`
	Number      *int64              `json:"number,omitzero"`
	Part        *storedPart         `json:"part,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type storedOpen struct {
	Known                *storedPart           `json:"known,omitzero"`
	AdditionalProperties map[string]storedPart `json:"-"`
	PropertyBag          runtime.PropertyBag   `json:"$propertyBag,omitzero"`
}

func (o storedOpen) MarshalJSON() ([]byte, error) {
	type fixed storedOpen
	return MarshalOpen(fixed(o), o.AdditionalProperties)
}

func (o *storedOpen) UnmarshalJSON(data []byte) error {
	type fixed storedOpen
	return UnmarshalOpen(data, (*fixed)(o), &o.AdditionalProperties, "known", "$propertyBag")
}

type storedAny struct {
	Own                  *string                 `json:"$$$propertyBag,omitzero"`
	Free                 runtime.JSON            `json:"free,omitzero"`
	AdditionalProperties map[string]runtime.JSON `json:"-"`
	PropertyBag          runtime.PropertyBag     `json:"$propertyBag,omitzero"`
}

func (o storedAny) MarshalJSON() ([]byte, error) {
	type fixed storedAny
	return MarshalOpen(fixed(o), o.AdditionalProperties)
}

func (o *storedAny) UnmarshalJSON(data []byte) error {
	type fixed storedAny
	return UnmarshalOpen(data, (*fixed)(o), &o.AdditionalProperties, "$$$propertyBag", "free", "$propertyBag")
}

type storedStatus struct {
	Main        *storedPart         `json:"main,omitzero"`
	Conditions  []metav1.Condition  `json:"conditions,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func (g *gadget) convertToStorage(dst *storedGadget) error { return g.toStorage(g, dst) }

// toStorage converts a gadget that is, or is part of, an API root.
func (g *gadget) toStorage(root runtime.Hider, dst *storedGadget) error {
	dst.TypeMeta = metav1.TypeMeta{APIVersion: group + "/" + gadgetVersion + "storage", Kind: root.OriginalGVK().Kind}
	dst.ObjectMeta = g.ObjectMeta
	err := FirstError(
		ObjectTo(&dst.Spec, g.Spec, (*gadgetSpec).convertToStorage),
		ObjectTo(&dst.Status, g.Status, (*gadgetStatus).convertToStorage))
	Restore(root, &dst.Spec, &dst.Status)
	return err
}

func (g *gadget) convertFromStorage(src *storedGadget) error { return g.fromStorage(g, src) }

// fromStorage is the way back of toStorage.
func (g *gadget) fromStorage(root runtime.Hider, src *storedGadget) error {
	g.TypeMeta = metav1.TypeMeta{APIVersion: group + "/" + gadgetVersion, Kind: root.OriginalGVK().Kind}
	g.ObjectMeta = src.ObjectMeta
	err := FirstError(
		ObjectFrom(&g.Spec, src.Spec, (*gadgetSpec).convertFromStorage),
		ObjectFrom(&g.Status, src.Status, (*gadgetStatus).convertFromStorage))
	Hide(root, src.Spec, src.Status)
	return err
}

func (s *gadgetSpec) convertToStorage(dst *storedSpec) error {
	*dst = storedSpec{Size: s.Size, Count: s.Count, Tags: StoredKeys(s.Tags), Lines: s.Lines, Free: s.Free, Owner: s.Owner, OriginalVersion: gadgetVersion}
	dst.Rows = rowsTo(s.Rows, (*gadgetPart).convertToStorage)
	return FirstError(
		ObjectTo(&dst.Main, s.Main, (*gadgetPart).convertToStorage),
		ListTo(&dst.Parts, s.Parts, (*gadgetPart).convertToStorage),
		ListTo(&dst.Ports, s.Ports, (*gadgetPort).convertToStorage),
		ListTo(&dst.Rules, s.Rules, (*gadgetPort).convertToStorage),
		MapToStorage(&dst.Spares, s.Spares, (*gadgetPart).convertToStorage),
		ObjectTo(&dst.Open, s.Open, (*gadgetOpen).convertToStorage),
		ObjectTo(&dst.Any, s.Any, (*gadgetAny).convertToStorage),
		ListTo(&dst.Opens, s.Opens, (*gadgetOpen).convertToStorage),
		MapToStorage(&dst.Boxes, s.Boxes, func(src *[]gadgetPart, dst *[]storedPart) error {
			return ListTo(dst, *src, (*gadgetPart).convertToStorage)
		}),
		ListTo(&dst.Grid, s.Grid, func(src *map[string]gadgetPart, dst *map[string]storedPart) error {
			return MapToStorage(dst, *src, (*gadgetPart).convertToStorage)
		}))
}

func (s *gadgetSpec) convertFromStorage(src *storedSpec) error {
	*s = gadgetSpec{Size: src.Size, Count: src.Count, Tags: ShownKeys(src.Tags), Lines: src.Lines, Free: src.Free, Owner: src.Owner}
	s.Rows = rowsTo(src.Rows, func(src *storedPart, dst *gadgetPart) error { return dst.convertFromStorage(src) })
	return FirstError(
		ObjectFrom(&s.Main, src.Main, (*gadgetPart).convertFromStorage),
		ListFrom(&s.Parts, src.Parts, (*gadgetPart).convertFromStorage),
		ListFrom(&s.Ports, src.Ports, (*gadgetPort).convertFromStorage),
		ListFrom(&s.Rules, src.Rules, (*gadgetPort).convertFromStorage),
		MapFromStorage(&s.Spares, src.Spares, (*gadgetPart).convertFromStorage),
		ObjectFrom(&s.Open, src.Open, (*gadgetOpen).convertFromStorage),
		ObjectFrom(&s.Any, src.Any, (*gadgetAny).convertFromStorage),
		ListFrom(&s.Opens, src.Opens, (*gadgetOpen).convertFromStorage),
		MapFromStorage(&s.Boxes, src.Boxes, func(dst *[]gadgetPart, src *[]storedPart) error {
			return ListFrom(dst, *src, (*gadgetPart).convertFromStorage)
		}),
		ListFrom(&s.Grid, src.Grid, func(dst *map[string]gadgetPart, src *map[string]storedPart) error {
			return MapFromStorage(dst, *src, (*gadgetPart).convertFromStorage)
		}))
}

func rowsTo[S, D any](src [][]S, convert func(*S, *D) error) [][]D {
	if src == nil {
		return nil
	}
	out := make([][]D, len(src))
	for i := range src {
		_ = ListTo(&out[i], src[i], convert)
	}
	return out
}

func (p *gadgetPart) convertToStorage(dst *storedPart) error {
	*dst = storedPart{Color: p.Color, Weight: p.Weight, Ratio: p.Ratio, On: p.On, Labels: StoredKeys(p.Labels)}
	return FirstError(
		ObjectTo(&dst.Inner, p.Inner, (*gadgetPart).convertToStorage),
		ListTo(&dst.Parts, p.Parts, (*gadgetPart).convertToStorage))
}

func (p *gadgetPart) convertFromStorage(src *storedPart) error {
	*p = gadgetPart{Color: src.Color, Weight: src.Weight, Ratio: src.Ratio, On: src.On, Labels: ShownKeys(src.Labels)}
	return FirstError(
		ObjectFrom(&p.Inner, src.Inner, (*gadgetPart).convertFromStorage),
		ListFrom(&p.Parts, src.Parts, (*gadgetPart).convertFromStorage))
}

func (p *gadgetPort) convertToStorage(dst *storedPort) error {
	*dst = storedPort{ID: p.ID, Name: p.Name, Number: p.Number}
	return ObjectTo(&dst.Part, p.Part, (*gadgetPart).convertToStorage)
}

func (p *gadgetPort) convertFromStorage(src *storedPort) error {
	*p = gadgetPort{ID: src.ID, Name: src.Name, Number: src.Number}
	return ObjectFrom(&p.Part, src.Part, (*gadgetPart).convertFromStorage)
}

func (o *gadgetOpen) convertToStorage(dst *storedOpen) error {
	*dst = storedOpen{}
	return FirstError(
		ObjectTo(&dst.Known, o.Known, (*gadgetPart).convertToStorage),
		MapTo(&dst.AdditionalProperties, o.AdditionalProperties, (*gadgetPart).convertToStorage))
}

func (o *gadgetOpen) convertFromStorage(src *storedOpen) error {
	*o = gadgetOpen{}
	return FirstError(
		ObjectFrom(&o.Known, src.Known, (*gadgetPart).convertFromStorage),
		MapFrom(&o.AdditionalProperties, src.AdditionalProperties, (*gadgetPart).convertFromStorage))
}

func (o *gadgetAny) convertToStorage(dst *storedAny) error {
	*dst = storedAny{Own: o.Own, Free: o.Free, AdditionalProperties: o.AdditionalProperties}
	return nil
}

func (o *gadgetAny) convertFromStorage(src *storedAny) error {
	*o = gadgetAny{Own: src.Own, Free: src.Free, AdditionalProperties: src.AdditionalProperties}
	return nil
}

func (s *gadgetStatus) convertToStorage(dst *storedStatus) error {
	*dst = storedStatus{Conditions: s.Conditions}
	return ObjectTo(&dst.Main, s.Main, (*gadgetPart).convertToStorage)
}

func (s *gadgetStatus) convertFromStorage(src *storedStatus) error {
	*s = gadgetStatus{Conditions: src.Conditions}
	return ObjectFrom(&s.Main, src.Main, (*gadgetPart).convertFromStorage)
}
