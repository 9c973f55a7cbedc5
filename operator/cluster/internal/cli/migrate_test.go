package cli

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
)

// TestRemoved checks for which CRDs objects are read before they are written, and that a value
// which the storage version lacks is found.
func TestRemoved(t *testing.T) {
	const legacy, none = `{"properties":{"legacy":{"type":"string"}}}`, `{"properties":{}}`
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "a.b/v1", "kind": "Note", "metadata": map[string]any{"name": "n"}, "legacy": "x"}}
	kinds := map[schema.GroupVersionResource]string{{Group: "a.b", Version: "v1", Resource: "notes"}: "NoteList"}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, object)
	for _, test := range []struct{ reason, more, one, two, want string }{
		{"a value that v2 lacks", `"conversion":{"strategy":"None"}`, legacy, none, ".legacy"},
		{"no strategy", `"scope":"Cluster"`, legacy, none, ".legacy"},
		{"a value that v2 has", `"conversion":{"strategy":"None"}`, `{"properties":{}}`, legacy, ""},
		{"equal schemas", `"conversion":{"strategy":"None"}`, legacy, legacy, "-"},
		{"a webhook", `"conversion":{"strategy":"Webhook"}`, legacy, none, "-"},
		{"all members are preserved", `"preserveUnknownFields":true`, legacy, none, "-"},
	} {
		d, err := crd.Parse([]byte(`{"spec":{"group":"a.b","names":{"kind":"Note","plural":"notes"},` + test.more + `,"versions":[
			{"name":"v1","served":true,"schema":{"openAPIV3Schema":` + test.one + `}},
			{"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":` + test.two + `}}
		]},"status":{"storedVersions":["v1","v2"]}}`))
		if err != nil {
			t.Fatal(err)
		}
		find, err := removed(d, client)
		if err != nil {
			t.Fatal(err)
		}
		got := "-"
		if find != nil {
			if got, err = find(t.Context(), &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "n"}}); err != nil {
				t.Fatal(err)
			}
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.reason, got, test.want)
		}
	}
}

// TestVersionsThatGo refuses names that would have no effect: the owners of the version that the
// user means would stay as they are.
func TestVersionsThatGo(t *testing.T) {
	d := &crd.CRD{Group: "a.b", Plural: "notes", Versions: []crd.Version{{Name: "v1", Served: true}, {Name: "v2", Served: true, Storage: true}}}
	for version, want := range map[string]string{"v1": "", "v2": "cannot go", "vl": `--gone names "vl", and notes.a.b has no such version: it has v1, v2`} {
		_, err := (&migration{gone: []string{version}}).owners(d, nil)
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", version, err, want)
		}
	}
}

// TestHistoriesAreNeeded refuses a kind of Strata without them. Fields with other names in the next
// version would have no owner afterwards.
func TestHistoriesAreNeeded(t *testing.T) {
	d := &crd.CRD{Group: "a.b", Plural: "notes", Strata: true, Versions: []crd.Version{{Name: "v1", Served: true}, {Name: "v1storage", Served: true, Storage: true}}}
	if _, err := new(migration).owners(d, nil); err == nil || !strings.Contains(err.Error(), "notes.a.b needs --histories") {
		t.Errorf("the error is %v", err)
	}
	d.Strata = false
	if _, err := new(migration).owners(d, nil); err != nil {
		t.Error(err)
	}
}
