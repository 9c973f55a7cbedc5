package crd

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
)

func crd(group, kind, plural string, versions ...any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": plural + "." + group},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced", "names": map[string]any{"kind": kind, "plural": plural}, "versions": versions,
		},
		"status": map[string]any{"storedVersions": []any{"v1storage", "v2storage"}},
	}}
}

func version(name string, served, storage bool) map[string]any {
	return map[string]any{"name": name, "served": served, "storage": storage}
}

func resource(kind, plural string, short ...string) metav1.APIResource {
	return metav1.APIResource{Name: plural, SingularName: strings.ToLower(kind), Kind: kind, ShortNames: short, Verbs: metav1.Verbs{"list"}}
}

type server []*metav1.APIResourceList

func (s server) ServerPreferredResourcesWithContext(context.Context) ([]*metav1.APIResourceList, error) {
	return s, nil
}

func TestFind(t *testing.T) {
	hub := []any{version("v2storage", true, true), version("v2", true, false), version("v1storage", false, false), version("v1", true, false), version("v0storage", false, false), version("coldstorage", true, false)}
	objects := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{Resource: "CustomResourceDefinitionList"},
		crd("crm.example.com", "Person", "persons", hub...),
		crd("shop.example.com", "Person", "people", version("v1", true, true)),
		crd("crm.example.com", "Note", "notes", hub...))
	served := server{
		{GroupVersion: "crm.example.com/v2", APIResources: []metav1.APIResource{resource("Person", "persons"), resource("Note", "notes", "nt"), {Name: "notes/status", Kind: "Note"}}},
		{GroupVersion: "shop.example.com/v1", APIResources: []metav1.APIResource{resource("Person", "people")}},
	}
	for _, test := range []struct {
		reason, name string
		want         string
		fails        string
	}{
		{"a kind", "Note", "notes.crm.example.com", ""},
		{"a short name", "NT", "notes.crm.example.com", ""},
		{"a plural that is clear", "persons", "persons.crm.example.com", ""},
		{"a kind with its group behind", "person.crm.example.com", "persons.crm.example.com", ""},
		{"a kind with its group before", "crm.example.com/Person", "persons.crm.example.com", ""},
		{"a kind of two groups", "Person", "", "name the group, too"},
		{"what there is not", "Order", "", `no kind "Order"`},
		{"a kind that others made", "people", "", "Strata has not generated it"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			d, err := Find(t.Context(), served, objects, test.name)
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Fatalf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d.Name() != test.want {
				t.Errorf("found %s", d.Name())
			}
		})
	}
	d, err := Find(t.Context(), served, objects, "Note")
	if err != nil {
		t.Fatal(err)
	}
	want := []Version{
		{Name: "v2storage", Served: true, Storage: true}, {Name: "v2", Served: true}, {Name: "v1storage", Former: true}, {Name: "v1", Served: true},
		{Name: "v0storage", Former: true}, {Name: "coldstorage", Served: true},
	}
	if diff := cmp.Diff(want, d.Versions); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	if d.Hub() != "v2storage" || d.API() != "v2" || strings.Join(d.Readable(), " ") != "v2 v1 coldstorage" {
		t.Errorf("the hub is %s of %s, and %v can be read", d.Hub(), d.API(), d.Readable())
	}
}

// TestObjectsOfAnotherProgram reads a CRD whose objects another program has stored. The names of
// Strata's storage versions differ from those of that program, which are not the hub.
func TestObjectsOfAnotherProgram(t *testing.T) {
	d, err := Parse([]byte(`{"spec":{"group":"goods.azure.com","names":{"kind":"Depot","plural":"depots"},"scope":"Namespaced","versions":[
		{"name":"v1api20230101","served":true},{"name":"v1api20230101storage"},{"name":"v1api20230101stratastorage","served":true,"storage":true}
	]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if d.Hub() != "v1api20230101stratastorage" || d.API() != "v1api20230101" || strings.Join(d.Readable(), " ") != "v1api20230101" {
		t.Errorf("the hub is %s of %s, and %v can be read", d.Hub(), d.API(), d.Readable())
	}
}

// TestSuccessor checks which version takes the place of one that goes.
func TestSuccessor(t *testing.T) {
	ours := &CRD{Strata: true, Versions: []Version{
		{Name: "v1", Served: true}, {Name: "v0"}, {Name: "v1storage", Former: true}, {Name: "v2", Served: true}, {Name: "v2storage", Served: true, Storage: true},
	}}
	theirs := &CRD{Versions: []Version{{Name: "v1", Served: true}, {Name: "v2", Served: true, Storage: true}, {Name: "v3"}}}
	alone := &CRD{Strata: true, Versions: []Version{{Name: "v1", Served: true}, {Name: "coldstorage", Served: true, Storage: true}}}
	for _, test := range []struct {
		reason  string
		of      *CRD
		version string
		want    string
	}{
		{"a version that stays", ours, "v2", "v2"},
		{"the hub stays", ours, "v2storage", "v2storage"},
		{"a version that is named", ours, "v1", "v2"},
		{"a version that is not served", ours, "v0", "v2"},
		{"a version that the CRD lacks", ours, "v00", "v2"},
		{"a former hub", ours, "v1storage", "v2storage"},
		{"another's version that is named", theirs, "v1", "v2"},
		{"another's version that is not served", theirs, "v3", "v2"},
		{"a storage version without an API version", alone, "v1", "coldstorage"},
		{"another's version that stays", theirs, "v2", "v2"},
	} {
		if got := test.of.Successor(test.version, []string{"v1"}); got != test.want {
			t.Errorf("%s: %s becomes %s, want %s", test.reason, test.version, got, test.want)
		}
	}
	if got := strings.Join(theirs.Others(), " "); got != "v1" || theirs.ServesHub() != nil {
		t.Errorf("the other versions are %s, %v", got, theirs.ServesHub())
	}
}

// TestUnservedStorageVersion refuses a CRD whose objects only other versions show. A write
// through one of them removes what it cannot represent.
func TestUnservedStorageVersion(t *testing.T) {
	d, err := Parse([]byte(`{"spec":{"group":"a.b","names":{"kind":"Note","plural":"notes"},"versions":[
		{"name":"v1","served":true},{"name":"v2","storage":true}
	]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.ServesHub(); err == nil || !strings.Contains(err.Error(), "set served: true") {
		t.Errorf("it is served: %v", err)
	}
}
