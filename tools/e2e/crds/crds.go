package crds

import (
	"embed"
	"os"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/e2e/fixtures"
)

// Kind is a kind that a CRD defines.
type Kind struct {
	*v1.CustomResourceDefinition
	Versions []string // API versions that are served, in the order of the CRD
	Hub      string   // the version that is stored
}

// Read reads a kind from the file of its CRD. It fails the test if no version is served, or none is
// stored.
func Read(t testing.TB, file string) *Kind {
	t.Helper()
	k := &Kind{CustomResourceDefinition: new(v1.CustomResourceDefinition)}
	ReadYAML(t, file, k.CustomResourceDefinition)
	for _, v := range k.Spec.Versions {
		switch {
		case v.Storage:
			k.Hub = v.Name
		case v.Served:
			k.Versions = append(k.Versions, v.Name)
		}
	}
	if len(k.Versions) == 0 || k.Hub == "" {
		t.Fatalf("%s serves %v, and stores %q", k.Name, k.Versions, k.Hub)
	}
	return k
}

// Served lists the versions that a client can use: the API versions, and the hub.
func (k *Kind) Served() []string { return append(slices.Clone(k.Versions), k.Hub) }

// Resource names a version for a client.
func (k *Kind) Resource(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: k.Spec.Group, Version: version, Resource: k.Spec.Names.Plural}
}

// Version returns the CRD's entry of a version, which must exist.
func (k *Kind) Version(name string) v1.CustomResourceDefinitionVersion {
	i := slices.IndexFunc(k.Spec.Versions, func(v v1.CustomResourceDefinitionVersion) bool { return v.Name == name })
	return k.Spec.Versions[i]
}

// Schema returns the schema of a version, which the CRD must have.
func (k *Kind) Schema(version string) v1.JSONSchemaProps {
	return *k.Version(version).Schema.OpenAPIV3Schema
}

// ReadYAML reads a file. It fails the test if the file has members that the type does not have.
func ReadYAML(t testing.TB, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// ReadObject reads an object whose whole numbers have the type that Kubernetes' clients give them.
func ReadObject(t testing.TB, file string) map[string]any {
	t.Helper()
	var object map[string]any
	ReadYAML(t, file, &object)
	fixtures.Integers(object)
	return object
}

//go:embed testdata
var examples embed.FS

// Example returns an object with all properties that some version of a kind of the worked example
// has.
func Example(t testing.TB, kind string) map[string]any {
	t.Helper()
	text, err := examples.ReadFile("testdata/" + strings.ToLower(kind) + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := yaml.UnmarshalStrict(text, &object); err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	fixtures.Integers(object)
	return object
}
