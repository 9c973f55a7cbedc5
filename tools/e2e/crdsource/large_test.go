package crdsource_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/e2e/crds"
)

// TestLargeCRDWithDescriptions generates the CRD of a kind that takes more than 500 KiB without
// descriptions, so that it may have them up to 1 MiB. An API server must store and serve it.
func TestLargeCRDWithDescriptions(t *testing.T) {
	tier.Long(t, "generates and stores a CRD of a megabyte")
	l, err := corpus.OpenLab(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	m, unlock, err := corpus.OpenModule(l.Workspace, "largecrd", corpus.Project{Like: "webhook", NoARM: true})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := m.WriteFolder("crds", map[string][]byte{"atlases.json": atlas(t)}); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(m.Output()); err != nil { // no ledger: every run is a first one
		t.Fatal(err)
	}
	config, err := json.Marshal(object{
		"apiVersion": "strata.dev/v1alpha1", "kind": "Generation", "sources": []any{object{"crd": object{"root": "crds"}}},
		"output": object{"dir": "api", "module": corpus.ModulePath + "/api"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.WriteNew("strata.yaml", config); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Generate(t.Context(), m.Project); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(m.Output(), "crds", "atlases.maps.example.com.yaml")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	documented := strings.Count(string(text), "Where the place is")
	if len(text) <= 500<<10 || len(text) > 1<<20 || documented == 0 {
		t.Fatalf("the CRD has %d bytes, and %d descriptions", len(text), documented)
	}
	t.Logf("the CRD has %d bytes, and %d descriptions", len(text), documented)
	s := open(t)
	k := crds.Read(t, name)
	crds.Apply(t, s.client, s.config, k)
	crds.AwaitServed(t, s.client, k)
}

// atlas returns a CRD of two versions, each with 4,800 described properties.
func atlas(t *testing.T) []byte {
	t.Helper()
	const count = 4800
	var versions []any
	for i, version := range []string{"v1beta1", "v1"} {
		properties := object{}
		for n := range count {
			properties[fmt.Sprintf("place%04d", n)] = object{"type": "string", "description": "Where the place is: latitude and longitude."}
		}
		versions = append(versions, object{
			"name": version, "served": true, "storage": i == 1,
			"schema": object{"openAPIV3Schema": object{"type": "object", "properties": object{"spec": object{"type": "object", "properties": properties}}}},
		})
	}
	text, err := json.Marshal(object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": "atlases.maps.example.com"},
		"spec": object{
			"group": "maps.example.com", "scope": "Namespaced", "versions": versions,
			"names": object{"kind": "Atlas", "listKind": "AtlasList", "plural": "atlases", "singular": "atlas"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
