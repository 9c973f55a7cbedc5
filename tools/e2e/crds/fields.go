package crds

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/stratakube/strata/operator/cluster/ownership"
)

// Fields lists the fields of objects of one kind, as an API server does for their owners.
type Fields struct {
	// Histories translate fields from one version to another.
	Histories *ownership.Kind

	types map[string]managedfields.TypeConverter // by version
}

// NewFields reads the schemas of all API versions, and the property histories of the kind in the
// folders of a folder.
func NewFields(t testing.TB, histories string, k *Kind) Fields {
	t.Helper()
	out := Fields{types: map[string]managedfields.TypeConverter{}}
	for _, version := range k.Versions {
		schema, err := builder.BuildOpenAPIV3(k.CustomResourceDefinition, version, builder.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if out.types[version], err = managedfields.NewTypeConverter(schema.Components.Schemas, false); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(histories, "*", k.Spec.Names.Plural+".json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no histories of %s: %v", k.Name, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kind, err := ownership.Read(text)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if kind.Group == k.Spec.Group {
			out.Histories = kind
		}
	}
	return out
}

// None are fields that no test is about. A status that has only a bag is an empty one here.
var None = fieldpath.NewSet(fieldpath.MakePathOrDie("apiVersion"), fieldpath.MakePathOrDie("kind"), fieldpath.MakePathOrDie("status"))

// Of returns the fields of the spec and the status of an object. The bag of hidden values is not
// among them, because no cluster stores it in an API version. Of fails the test if the object has a
// field that the schema of the version lacks.
func (f Fields) Of(t testing.TB, version string, object map[string]any) *fieldpath.Set {
	t.Helper()
	part := map[string]any{"apiVersion": object["apiVersion"], "kind": object["kind"]}
	for _, name := range []string{"spec", "status"} {
		if value, has := object[name]; has {
			part[name] = runtime.DeepCopyJSONValue(value)
		}
	}
	unstructured.RemoveNestedField(part, "status", "propertyBag")
	value, err := f.types[version].ObjectToTyped(&unstructured.Unstructured{Object: part})
	if err != nil {
		t.Fatalf("%s: %v\n%.1000v", version, err, object)
	}
	set, err := value.ToFieldSet()
	if err != nil {
		t.Fatal(err)
	}
	return set.Difference(None).Leaves()
}
