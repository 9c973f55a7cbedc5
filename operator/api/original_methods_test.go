package api_test

import (
	"reflect"
	"strings"
	"testing"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/runtime"
)

// TestOriginalVersionsAreEverywhere checks that each registered resource, and its spec, returns
// its original version. Specs of API versions have a method for it, and those of storage versions
// a field.
func TestOriginalVersionsAreEverywhere(t *testing.T) {
	scheme := k8sruntime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for gvk := range scheme.AllKnownTypes() {
		object, err := scheme.New(gvk)
		if err != nil {
			t.Fatal(err)
		}
		resource, ok := object.(runtime.KubernetesResource)
		if !ok {
			continue // a list, or a type of every group
		}
		checked++
		if _, ok := object.(runtime.Original); !ok {
			t.Errorf("%v does not know its original version", gvk)
		}
		spec := resource.(runtime.SpecMaker).NewEmptySpec()
		if strings.HasSuffix(gvk.Version, "storage") {
			if f := reflect.ValueOf(spec).Elem().FieldByName("OriginalVersion"); f.Kind() != reflect.String {
				t.Errorf("the spec of %v has no original version", gvk)
			}
			continue
		}
		known, ok := spec.(interface{ OriginalVersion() string })
		if !ok || known.OriginalVersion() != gvk.Version {
			t.Errorf("the spec of %v does not give its version", gvk)
		}
		if resource.NewEmptyStatus() == nil {
			t.Errorf("%v makes no status", gvk)
		}
	}
	if checked < 20 {
		t.Errorf("%d resources are registered", checked)
	}
}
