package genruntime_test

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
)

type personHub struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec   *hubSpec
	Status *hubStatus
}

type hubSpec struct {
	Name            string
	OriginalVersion string
}

type hubStatus struct{ Phase string }

func (p *personHub) DeepCopyObject() k8sruntime.Object         { return nil }
func (p *personHub) GetSpec() runtime.ConvertibleSpec          { return genruntime.SpecOf(p.Spec) }
func (p *personHub) GetStatus() runtime.ConvertibleStatus      { return genruntime.StatusOf(p.Status) }
func (p *personHub) NewEmptySpec() runtime.ConvertibleSpec     { return &hubSpec{} }
func (p *personHub) NewEmptyStatus() runtime.ConvertibleStatus { return &hubStatus{} }

func (p *personHub) SetStatus(status runtime.ConvertibleStatus) error {
	return genruntime.SetStatus(&p.Status, status)
}

func (p *personHub) OriginalGVK() *schema.GroupVersionKind {
	version := "v2"
	if p.Spec != nil && p.Spec.OriginalVersion != "" {
		version = p.Spec.OriginalVersion
	}
	return &schema.GroupVersionKind{Group: fixtures.Group, Version: version, Kind: "Person"}
}

func (s *hubSpec) ConvertSpecTo(dst runtime.ConvertibleSpec) error {
	return genruntime.SpecToVia(s, s, dst)
}
func (s *hubSpec) ConvertSpecFrom(src runtime.ConvertibleSpec) error {
	return genruntime.SpecFromVia(s, s, src)
}

func (s *hubStatus) ConvertStatusTo(dst runtime.ConvertibleStatus) error {
	return genruntime.StatusToVia(s, s, dst)
}
func (s *hubStatus) ConvertStatusFrom(src runtime.ConvertibleStatus) error {
	return genruntime.StatusFromVia(s, s, src)
}

// personV is a person of an API version. Each version spells names differently.
type personV[V version] struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec   *spec[V]
	Status *status[V]
}

type version interface{ prefix() string }

type v1 struct{}

type v2 struct{}

func (v1) prefix() string { return "v1:" }
func (v2) prefix() string { return "v2:" }

type spec[V version] struct{ Called string }

type status[V version] struct{ Called string }

func (p *personV[V]) DeepCopyObject() k8sruntime.Object         { return nil }
func (p *personV[V]) GetSpec() runtime.ConvertibleSpec          { return genruntime.SpecOf(p.Spec) }
func (p *personV[V]) GetStatus() runtime.ConvertibleStatus      { return genruntime.StatusOf(p.Status) }
func (p *personV[V]) NewEmptySpec() runtime.ConvertibleSpec     { return &spec[V]{} }
func (p *personV[V]) NewEmptyStatus() runtime.ConvertibleStatus { return &status[V]{} }

func (p *personV[V]) SetStatus(status runtime.ConvertibleStatus) error {
	return genruntime.SetStatus(&p.Status, status)
}

func (s *spec[V]) ConvertSpecTo(dst runtime.ConvertibleSpec) error {
	return genruntime.SpecTo(s, dst, specToHub[V])
}
func (s *spec[V]) ConvertSpecFrom(src runtime.ConvertibleSpec) error {
	return genruntime.SpecFrom(s, src, specFromHub[V])
}

func (s *status[V]) ConvertStatusTo(dst runtime.ConvertibleStatus) error {
	return genruntime.StatusTo(s, dst, statusToHub[V])
}

func (s *status[V]) ConvertStatusFrom(src runtime.ConvertibleStatus) error {
	return genruntime.StatusFrom(s, src, statusFromHub[V])
}

func specToHub[V version](src *spec[V], dst *hubSpec) error {
	var v V
	dst.Name, dst.OriginalVersion = src.Called[len(v.prefix()):], v.prefix()[:2]
	return nil
}

func specFromHub[V version](dst *spec[V], src *hubSpec) error {
	var v V
	dst.Called = v.prefix() + src.Name
	return unlessBroken(src.Name)
}

func statusToHub[V version](src *status[V], dst *hubStatus) error {
	var v V
	dst.Phase = src.Called[len(v.prefix()):]
	return nil
}

func statusFromHub[V version](dst *status[V], src *hubStatus) error {
	var v V
	dst.Called = v.prefix() + src.Phase
	return unlessBroken(src.Phase)
}

func unlessBroken(name string) error {
	if name == "broken" {
		return errBroken
	}
	return nil
}

var errBroken = errors.New("broken")

// foreignSpec and foreignStatus are the hub of another kind.
type foreignSpec struct{ Name string }

type foreignStatus struct{ Phase string }

func (s *foreignSpec) ConvertSpecTo(dst runtime.ConvertibleSpec) error {
	return genruntime.SpecToVia(s, s, dst)
}
func (s *foreignSpec) ConvertSpecFrom(src runtime.ConvertibleSpec) error {
	return genruntime.SpecFromVia(s, s, src)
}

func (s *foreignStatus) ConvertStatusTo(dst runtime.ConvertibleStatus) error {
	return genruntime.StatusToVia(s, s, dst)
}
func (s *foreignStatus) ConvertStatusFrom(src runtime.ConvertibleStatus) error {
	return genruntime.StatusFromVia(s, s, src)
}

// looseSpec is no pointer.
type looseSpec []string

func (looseSpec) ConvertSpecTo(runtime.ConvertibleSpec) error   { return nil }
func (looseSpec) ConvertSpecFrom(runtime.ConvertibleSpec) error { return nil }

func newScheme() *k8sruntime.Scheme {
	s := k8sruntime.NewScheme()
	s.AddKnownTypeWithName(schema.GroupVersionKind{Group: fixtures.Group, Version: "v1", Kind: "Person"}, &personV[v1]{})
	s.AddKnownTypeWithName(schema.GroupVersionKind{Group: fixtures.Group, Version: "v2", Kind: "Person"}, &personV[v2]{})
	s.AddKnownTypeWithName(schema.GroupVersionKind{Group: fixtures.Group, Version: "v3", Kind: "Person"}, &metav1.Status{})
	return s
}
