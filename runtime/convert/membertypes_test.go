package convert

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// keeper is an API type whose spec has the members that Strata adds.
type keeper struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   *keeperSpec   `json:"spec,omitzero"`
	Status *keeperStatus `json:"status,omitzero"`
}

type keeperSpec struct {
	Owner         *runtime.Owner         `json:"owner,omitzero"`
	SecretRefs    []runtime.SecretRef    `json:"secretRefs,omitzero"`
	ConfigMapRefs []runtime.ConfigMapRef `json:"configMapRefs,omitzero"`
	Outputs       *runtime.Outputs       `json:"outputs,omitzero"`
}

type keeperStatus struct {
	PropertyBag *string `json:"propertyBag,omitzero"`
}

func (s *keeperStatus) Bag() **string { return &s.PropertyBag }

func (k *keeper) StatusBag() *string { return genruntime.GetBag(k.Status) }

func (k *keeper) SetStatusBag(bag *string) { genruntime.SetBag(&k.Status, bag) }

func (k *keeper) OriginalGVK() *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: "crm.example.com", Version: "v20140404", Kind: "Keeper"}
}

// TestWrongTypesInMembersOfStrata checks that such a member with a value of the wrong type is
// stored in the bag of the spec, as a whole. Its type is the same in storage, and has no bag.
func TestWrongTypesInMembersOfStrata(t *testing.T) {
	for spec, want := range map[string]string{
		`{"owner":{"name":7}}`: `{"owner@v20140404!raw":{"name":7}}`,
		`{"secretRefs":[{"path":"a","name":7,"key":"k"},{"path":"b"}]}`: `{"secretRefs@v20140404!raw":[{"path":"a","name":7,"key":"k"},{"path":"b"}]}`,
		`{"configMapRefs":[{"key":[]}]}`:                                `{"configMapRefs@v20140404!raw":[{"key":[]}]}`,
		`{"outputs":{"secrets":[{"name":7}]}}`:                          `{"outputs@v20140404!raw":{"secrets":[{"name":7}]}}`,
	} {
		var k keeper
		data := `{"apiVersion":"crm.example.com/v20140404","kind":"Keeper","metadata":{"name":"a"},"spec":` + spec + `}`
		if err := Decode([]byte(data), &k); err != nil {
			t.Fatal(err)
		}
		bag := k.StatusBag()
		if bag == nil {
			t.Errorf("%s: nothing is stored in the bag", spec)
			continue
		}
		var got struct {
			Raw struct{ Spec struct{ Bag json.RawMessage } }
		}
		if err := json.Unmarshal([]byte(*bag), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got.Raw.Spec.Bag)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", spec, diff)
		}
		encodes(t, &k, data)
	}
}
