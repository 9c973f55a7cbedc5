package conversion_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/tools/e2e/crds"
)

const api = "../../../operator/api"

// kind is one kind of the worked example. Its versions are sorted.
type kind struct {
	*crds.Kind
	name string
	all  map[string]any
	text []string // the path of a string that every version has, among those that some require; a UUID will do
}

// kinds reads all kinds.
func kinds(t testing.TB) []*kind {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(api, "crds", "*.yaml"))
	if err != nil || len(found) != 3 {
		t.Fatalf("the CRDs are %q (%v)", found, err)
	}
	texts := map[string][]string{
		"Person": {"properties", "id"}, "Party": {"properties", "displayName"}, "PersonsNote": {"properties", "text"},
	}
	var all []*kind
	for _, file := range found {
		k := &kind{Kind: crds.Read(t, file)}
		k.name = k.Spec.Names.Kind
		k.text = append([]string{"spec"}, texts[k.name]...)
		k.all = crds.Example(t, k.name)
		slices.Sort(k.Versions) // as their dates, a preview after the stable one of its day
		all = append(all, k)
	}
	return all
}

// three are the first version, one in the middle, and the latest.
func (k *kind) three() []string {
	return []string{k.Versions[0], k.Versions[len(k.Versions)/2], k.latest()}
}

func (k *kind) latest() string { return k.Versions[len(k.Versions)-1] }

// of returns an object with all members of the spec that the version has.
func (k *kind) of(version, name string) *unstructured.Unstructured {
	written := k.filled(version, "spec")
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": k.Spec.Group + "/" + version,
		"kind":       k.name,
		"metadata":   map[string]any{"name": name},
		"spec":       written,
	}}
}

// filled returns the members of spec or status that the version has, with the kind's values.
func (k *kind) filled(version, property string) map[string]any {
	everything := runtime.DeepCopyJSON(k.all)[property].(map[string]any)
	if version == k.Hub {
		version = k.latest()
	}
	return crds.Cut(everything, k.Schema(version).Properties[property]).(map[string]any)
}

// lacks names the properties that the version requires and an object in that version does not have;
// empty if it is valid.
func (k *kind) lacks(version string, object *unstructured.Unstructured) []string {
	return missing(object.Object, k.Schema(version), "")
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
