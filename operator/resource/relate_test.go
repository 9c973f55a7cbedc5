package resource_test

import (
	"testing"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/api/crm/v20170707"
	v20170707storage "github.com/stratakube/strata/operator/api/crm/v20170707/storage"
	"github.com/stratakube/strata/operator/resource"
)

type resourceGroup struct{ v20170707.PersonsNote }

func (*resourceGroup) ExternalType() string { return "Microsoft.Resources/resourceGroups" }

type resourceGroupHub struct{ v20170707storage.PersonsNote }

// TestOwnersEnd covers two modules with resource groups. Neither owns the other, so that a loop
// over owners ends.
func TestOwnersEnd(t *testing.T) {
	scheme := k8sruntime.NewScheme()
	for _, group := range []string{"a.example.com", "b.example.com"} {
		scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: group, Version: "v20170707", Kind: "ResourceGroup"}, &resourceGroup{})
		scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: group, Version: "v20170707storage", Kind: "ResourceGroup"}, &resourceGroupHub{})
	}
	set, err := resource.Read(scheme)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(set.All()); n != 2 {
		t.Fatalf("there are %d kinds", n)
	}
	for _, k := range set.All() {
		if !k.Parent.Empty() || len(k.Children) > 0 {
			t.Errorf("%s belongs to %q, and has the children %v", k.Hub, k.Parent, k.Children)
		}
	}
}
