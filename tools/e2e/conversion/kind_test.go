package conversion_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/e2e/integers"
)

const api = "../../../operator/api"

// kind is one kind of the worked example.
type kind struct {
	name       string
	definition *v1.CustomResourceDefinition
	versions   []string // API versions that are served, the first one first
	hub        string   // the version that is stored
	all        map[string]any
	text       []string // the path of a string that every version has, among those that some require; a UUID will do
}

// kinds reads all kinds.
func kinds(t testing.TB) []*kind {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(api, "crds", "*.yaml"))
	if err != nil || len(found) != 3 {
		t.Fatalf("the definitions are %q (%v)", found, err)
	}
	texts := map[string][]string{
		"Person": {"properties", "id"}, "Party": {"properties", "displayName"}, "PersonsNote": {"properties", "text"},
	}
	var all []*kind
	for _, file := range found {
		k := &kind{definition: new(v1.CustomResourceDefinition)}
		read(t, file, k.definition)
		k.name = k.definition.Spec.Names.Kind
		k.text = append([]string{"spec"}, texts[k.name]...)
		read(t, filepath.Join("testdata", strings.ToLower(k.name)+".yaml"), &k.all)
		integers.Restore(k.all)
		k.readVersions()
		all = append(all, k)
	}
	return all
}

func read(t testing.TB, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// readVersions relies on it that labels sort as their dates, a preview after the stable one of its day.
func (k *kind) readVersions() {
	for _, v := range k.definition.Spec.Versions {
		switch {
		case v.Storage:
			k.hub = v.Name
		case v.Served:
			k.versions = append(k.versions, v.Name)
		}
	}
	slices.Sort(k.versions)
}

// three are the first version, one in the middle, and the latest.
func (k *kind) three() []string {
	return []string{k.versions[0], k.versions[len(k.versions)/2], k.latest()}
}

func (k *kind) latest() string { return k.versions[len(k.versions)-1] }

// served are all versions that a client can use.
func (k *kind) served() []string { return append(slices.Clone(k.versions), k.hub) }

func (k *kind) resource(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: k.definition.Spec.Group, Version: version, Resource: k.definition.Spec.Names.Plural}
}

// of makes an object that says all that the version can say in its spec.
func (k *kind) of(version, name string) *unstructured.Unstructured {
	written := k.says(version, "spec")
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": k.definition.Spec.Group + "/" + version,
		"kind":       k.name,
		"metadata":   map[string]any{"name": name},
		"spec":       written,
	}}
}

// says is what the version can say there, of everything that there is to say.
func (k *kind) says(version, property string) map[string]any {
	everything := runtime.DeepCopyJSON(k.all)[property].(map[string]any)
	if version == k.hub {
		version = k.latest()
	}
	i := slices.IndexFunc(k.definition.Spec.Versions, func(v v1.CustomResourceDefinitionVersion) bool { return v.Name == version })
	return cut(everything, k.definition.Spec.Versions[i].Schema.OpenAPIV3Schema.Properties[property]).(map[string]any)
}

// cut takes away what the schema does not have.
func cut(value any, s v1.JSONSchemaProps) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			switch property, has := s.Properties[name]; {
			case has:
				v[name] = cut(member, property)
			case s.AdditionalProperties != nil:
				v[name] = cut(member, *s.AdditionalProperties.Schema)
			case s.XPreserveUnknownFields == nil || !*s.XPreserveUnknownFields:
				delete(v, name)
			}
		}
	case []any:
		if s.Items != nil {
			for i, element := range v {
				v[i] = cut(element, *s.Items.Schema)
			}
		}
	}
	return value
}

// lacks names the properties that the version requires and an object in that version does not have; empty if it is valid.
func (k *kind) lacks(version string, object *unstructured.Unstructured) []string {
	i := slices.IndexFunc(k.definition.Spec.Versions, func(v v1.CustomResourceDefinitionVersion) bool { return v.Name == version })
	return missing(object.Object, *k.definition.Spec.Versions[i].Schema.OpenAPIV3Schema, "")
}

func missing(value any, s v1.JSONSchemaProps, at string) (names []string) {
	object, isObject := value.(map[string]any)
	if !isObject {
		return nil
	}
	for _, name := range s.Required {
		if _, has := object[name]; !has {
			names = append(names, strings.TrimPrefix(at+"."+name, "."))
		}
	}
	for name, property := range s.Properties {
		if member, has := object[name]; has {
			names = append(names, missing(member, property, at+"."+name)...)
		}
	}
	slices.Sort(names)
	return names
}
