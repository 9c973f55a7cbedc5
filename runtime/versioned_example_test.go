package runtime_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// Note is both API version and hub, to be short: a kind with one version.
type Note struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec   *NoteSpec
	Status *NoteStatus
}

type NoteSpec struct{ Text string }

type NoteStatus struct{ Phase string }

func (n *Note) DeepCopyObject() k8sruntime.Object {
	return genruntime.ObjectOf(genruntime.CopyRoot(n, new(Note)))
}
func (n *Note) DeepCopyInto(out *Note) { *out = *n }

func (n *Note) GetSpec() runtime.ConvertibleSpec          { return genruntime.SpecOf(n.Spec) }
func (n *Note) GetStatus() runtime.ConvertibleStatus      { return genruntime.StatusOf(n.Status) }
func (n *Note) NewEmptySpec() runtime.ConvertibleSpec     { return &NoteSpec{} }
func (n *Note) NewEmptyStatus() runtime.ConvertibleStatus { return &NoteStatus{} }

func (n *Note) SetStatus(status runtime.ConvertibleStatus) error {
	return genruntime.SetStatus(&n.Status, status)
}

func (n *Note) OriginalGVK() *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: "crm.example.com", Version: "v20150505", Kind: "Note"}
}

func (s *NoteSpec) ConvertSpecTo(dst runtime.ConvertibleSpec) error {
	return genruntime.SpecToVia(s, s, dst)
}

func (s *NoteSpec) ConvertSpecFrom(src runtime.ConvertibleSpec) error {
	return genruntime.SpecFromVia(s, s, src)
}

func (s *NoteStatus) ConvertStatusTo(dst runtime.ConvertibleStatus) error {
	return genruntime.StatusToVia(s, s, dst)
}

func (s *NoteStatus) ConvertStatusFrom(src runtime.ConvertibleStatus) error {
	return genruntime.StatusFromVia(s, s, src)
}

func ExampleGetVersionedSpec() {
	scheme := k8sruntime.NewScheme()
	scheme.AddKnownTypes(schema.GroupVersion{Group: "crm.example.com", Version: "v20150505"}, &Note{})

	note := &Note{Spec: &NoteSpec{Text: "call back"}}
	spec, err := runtime.GetVersionedSpec(note, scheme)
	fmt.Printf("%T %+v %v\n", spec, spec, err)
	// Output:
	// *runtime_test.NoteSpec &{Text:call back} <nil>
}
