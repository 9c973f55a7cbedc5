package resource_test

import (
	"testing"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v20170707storage "github.com/stratakube/strata/operator/api/crm/v20170707/storage"
	"github.com/stratakube/strata/operator/resource"
	"github.com/stratakube/strata/runtime"
)

// vendorSpec is a spec whose vendor has a member owner with a name.
type vendorSpec struct {
	v20170707storage.PersonsNoteSpec
	Owner *struct {
		Name string `json:"name"`
	} `json:"owner,omitempty"`
}

type vendorHub struct{ v20170707storage.PersonsNote }

func (*vendorHub) NewEmptySpec() runtime.ConvertibleSpec { return &vendorSpec{} }

// TestOwnerOfVendor covers a vendor's member owner with a name. It does not name the owner of
// the object.
func TestOwnerOfVendor(t *testing.T) {
	scheme := k8sruntime.NewScheme()
	group := schema.GroupKind{Group: "a.example.com", Kind: "Site"}
	scheme.AddKnownTypeWithName(group.WithVersion("v20170707"), &resourceGroup{})
	scheme.AddKnownTypeWithName(group.WithVersion("v20170707storage"), &vendorHub{})
	set, err := resource.Read(scheme)
	if err != nil {
		t.Fatal(err)
	}
	if k := set.Of(group); k == nil || k.Owner != "" {
		t.Errorf("the kind is %+v", k)
	}
}
