package genruntime_test

import (
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/runtime/genruntime"
)

// leaf is an API root with the members of its spec at the root, and its bag in an annotation.
type leaf struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   *leafSpec   `json:"spec,omitzero"`
	Status *leafStatus `json:"status,omitzero"`
}

type leafSpec struct {
	Text  *string   `json:"text,omitzero"`
	Sizes []int64   `json:"sizes,omitzero"`
	Spec  *leafSpec `json:"spec,omitzero"`
}

type leafStatus struct {
	Read *bool `json:"read,omitzero"`
}

func (*leaf) SpecAtRoot() {}

func (l leaf) MarshalJSON() ([]byte, error) {
	type fixed leaf
	return genruntime.MarshalAtRoot(fixed(l))
}

func (l *leaf) UnmarshalJSON(data []byte) error {
	type fixed leaf
	return genruntime.UnmarshalAtRoot(data, (*fixed)(l))
}

func (*leaf) OriginalGVK() *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: "demo.example.org", Version: "v1", Kind: "Leaf"}
}

func (l *leaf) StatusBag() *string       { return genruntime.GetBagAnnotation(&l.ObjectMeta) }
func (l *leaf) SetStatusBag(bag *string) { genruntime.SetBagAnnotation(&l.ObjectMeta, bag) }

func TestMembersAtRoot(t *testing.T) {
	tests := []struct{ reason, in, spec string }{
		{"what is beside metadata and status is the spec's", `{"kind":"Leaf","metadata":{"name":"x"},"text":"a","sizes":[1],"status":{"read":true}}`, `{"text":"a","sizes":[1]}`},
		{"a member may be called spec", `{"metadata":{},"spec":{"text":"a"}}`, `{"spec":{"text":"a"}}`},
		{"an object without such members has an empty spec", `{"metadata":{}}`, `{}`},
		{"names must match exactly", `{"metadata":{},"Text":"a"}`, `{}`},
		{"a null is an absent member", `{"metadata":{},"text":null}`, `{}`},
	}
	for _, tt := range tests {
		var l leaf
		if err := convert.Decode([]byte(tt.in), &l); err != nil {
			t.Errorf("%s: %v", tt.reason, err)
			continue
		}
		if got, _ := json.Marshal(l.Spec); string(got) != tt.spec {
			t.Errorf("%s: the spec is %s, want %s", tt.reason, got, tt.spec)
		}
	}
	if err := json.Unmarshal([]byte(`[]`), new(leaf)); err == nil {
		t.Error("a list is read as a root")
	}
}

// TestWrongTypesAtRoot checks that a value of the wrong type is stored in the annotation, and
// restored when the object is written.
func TestWrongTypesAtRoot(t *testing.T) {
	const in = `{"kind":"Leaf","apiVersion":"demo.example.org/v1","metadata":{"name":"x","annotations":{"a":"b"}},"text":{"not":"a text"},"sizes":[1,"two"],"status":{"read":true}}`
	var l leaf
	if err := convert.Decode([]byte(in), &l); err != nil {
		t.Fatal(err)
	}
	if l.Spec == nil || l.Spec.Text != nil || l.StatusBag() == nil {
		t.Fatalf("read as %+v, bag %v", l.Spec, l.StatusBag())
	}
	out, err := convert.Encode(&l)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, in, string(out))
}

func sameJSON(t *testing.T, want, got string) {
	t.Helper()
	var w, g any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	a, _ := json.Marshal(w)
	b, _ := json.Marshal(g)
	if string(a) != string(b) {
		t.Errorf("got %s, want %s", b, a)
	}
}

func TestBagAnnotations(t *testing.T) {
	shared := map[string]string{"a": "b"}
	m := metav1.ObjectMeta{Annotations: shared}
	bag := "{}"
	genruntime.SetBagAnnotation(&m, &bag)
	if got := genruntime.GetBagAnnotation(&m); got == nil || *got != bag || m.Annotations["a"] != "b" {
		t.Errorf("annotations are %v", m.Annotations)
	}
	if len(shared) != 1 {
		t.Errorf("annotations of others became %v", shared)
	}
	annotated := m.Annotations
	genruntime.DropBagAnnotation(&m)
	if genruntime.GetBagAnnotation(&m) != nil || len(m.Annotations) != 1 || len(annotated) != 2 {
		t.Errorf("annotations are %v, those of others %v", m.Annotations, annotated)
	}
	genruntime.DropBagAnnotation(&m)
	alone := metav1.ObjectMeta{Annotations: map[string]string{runtime.BagAnnotation: "{}"}}
	if genruntime.SetBagAnnotation(&alone, nil); alone.Annotations != nil {
		t.Errorf("an object without other annotations has %v", alone.Annotations)
	}
}
