package olderobjects_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/testcluster/process"
)

// TestWorkedExample is about the kinds of the worked example.
func TestWorkedExample(t *testing.T) {
	l := labtest.Lab(t)
	binary, err := env.BuildWebhook(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := l.Workspace.Root
	p := serve(t, binary)
	p.crds, p.requires, p.least = filepath.Join(root, "operator", "api", "crds"), check(t, l, filepath.Join(root, "schemas", "crm")), drawn/2
	p.run(t)
}

// TestShapes is about a kind with all shapes of requirements, and with rules on members that older
// objects lack.
func TestShapes(t *testing.T) {
	l := labtest.Lab(t)
	m := open(t, l, "olderobjects", corpus.Project{Native: folder(t, "testdata/crds"), Include: []string{"**/*.yaml"}})
	p := module(t, l, m)
	p.least = drawn / 2
	p.run(t)
	if p.refused == 0 {
		t.Error("no edit was refused for what older objects lack")
	}
	for _, r := range p.requires {
		if !p.met[r] && r.What != "rule" { // rules have guards
			t.Errorf("strata check lists what no object violates: %v", r)
		}
	}
}

// moves declares the changes of testdata/owners.
var moves = map[string]any{"fleet-example-com": map[string]any{"v1": map[string]any{
	"DepotSpec": map[string]any{
		"address":                map[string]any{"nameInNextVersion": "addresses", "plural": true},
		"size":                   map[string]any{"wrappedIn": "value"},
		"tier":                   map[string]any{"values": map[string]any{"Standard": "Basic"}},
		"timeoutSeconds":         map[string]any{"nameInNextVersion": "timeoutMilliseconds", "factor": 1000},
		"tags":                   map[string]any{"split": ","},
		"colour":                 map[string]any{"nameInNextVersion": "color"},
		"disruption.expireAfter": map[string]any{"movedTo": "template.spec.expireAfter"},
	},
	"DepotPorts": map[string]any{"name": map[string]any{"nameInNextVersion": "label"}},
}}}

// TestOwners is about a kind whose fields change their names, types, keys and places.
func TestOwners(t *testing.T) {
	l := labtest.Lab(t)
	m := open(t, l, "owners", corpus.Project{Native: folder(t, "testdata/owners"), Include: []string{"**/*.yaml"}, Metadata: moves})
	p := module(t, l, m)
	p.least = drawn / 2
	p.run(t)
}

// usual are the vendors that are tested by every run. The others take long, or have few versions.
var usual = []string{"cluster-api-v1.4.0", "gateway-api-v0.8.1"}

// TestVendors is about the kinds of vendors.
func TestVendors(t *testing.T) {
	tier.Long(t, "generates from the CRDs of vendors")
	l := labtest.WithSchemas(t)
	for _, v := range corpus.Vendors {
		if os.Getenv("STRATA_CORPUS") == "" && !slices.Contains(usual, v.Folder) {
			continue
		}
		t.Run(v.Folder, func(t *testing.T) {
			p := module(t, l, open(t, l, "olderobjects-"+v.Folder, v.Project(l.Corpora)))
			p.least = 1
			p.run(t)
		})
	}
}

func folder(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// open generates a project from nothing.
func open(t *testing.T, l *corpus.Lab, name string, p corpus.Project) corpus.Module {
	t.Helper()
	p.Like = "webhook"
	m, unlock, err := corpus.OpenModule(l.Workspace, name, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unlock)
	if err := os.RemoveAll(m.Output()); err != nil { // no ledger: every run is a first one
		t.Fatal(err)
	}
	program, err := os.ReadFile(filepath.Join("testdata", "program", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.WriteNew("program/main.go", program); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Generate(t.Context(), m.Project); err != nil {
		t.Fatal(err)
	}
	return m
}

// module serves the conversions of a module.
func module(t *testing.T, l *corpus.Lab, m corpus.Module) *project {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	if err := m.Build(t.Context(), binary, "./program"); err != nil {
		t.Fatal(err)
	}
	p := serve(t, binary)
	p.crds, p.requires = filepath.Join(m.Output(), "crds"), check(t, l, m.Dir)
	return p
}

func serve(t *testing.T, binary string) *project {
	t.Helper()
	group, err := process.Open("strata-olderobjects-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = group.Close() })
	config, _, err := env.ServeConversions(t.Context(), group, binary)
	if err != nil {
		t.Fatal(err)
	}
	return &project{converter: newConverter(config), faults: map[string]int{}, met: map[requirement]bool{}}
}

// check returns what `strata check` lists of a folder with a strata.yaml.
func check(t *testing.T, l *corpus.Lab, dir string) []requirement {
	t.Helper()
	outcome, err := l.Run(t.Context(), corpus.Project{Dir: dir}, "check", "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	var printed struct{ Older []requirement }
	if err := json.Unmarshal(outcome.Stdout, &printed); err != nil || outcome.Code > 1 {
		t.Fatalf("strata check: exit code %d\n%s", outcome.Code, outcome.Stderr)
	}
	return printed.Older
}
