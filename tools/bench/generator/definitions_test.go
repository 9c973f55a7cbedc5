package generator

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/corpus"
)

// difference is how our definitions may differ from what controller-gen makes of the Go types.
type difference struct {
	reason string
	is     func(p member) bool
}

// member has the schemas of a member in both CRDs; nil where a CRD does not declare it.
type member struct {
	path         string
	ours, theirs *v1.JSONSchemaProps
}

func (p member) inStatus() bool { return strings.HasPrefix(p.path, ".status") }

// isOpen reports whether ours preserves what it does not declare.
func (p member) isOpen() bool { return p.ours != nil && corpus.Preserves(p.ours) }

var differences = []difference{
	{"a status requires nothing but the key of its conditions", func(p member) bool {
		return p.inStatus() && p.sameType() && (len(p.ours.Required) == 0 || p.path == ".status.conditions[]")
	}},
	{"free JSON has a type of its own in Go, and further members of an open object have no tag", func(p member) bool {
		return p.isOpen() && p.theirs != nil
	}},
}

func (p member) sameType() bool {
	return p.ours != nil && p.theirs != nil && p.ours.Type == p.theirs.Type
}

// TestControllerGenFindsSame compares members, types and what is required of two providers'
// definitions with those that controller-gen makes of the Go types.
func TestControllerGenFindsSame(t *testing.T) {
	if os.Getenv("STRATA_CORPUS") == "" {
		t.Skip("needs STRATA_CORPUS=1: builds controller-gen and runs it")
	}
	p := fresh(t, "definitions", corpus.Project{Include: corpus.Of(providers...)})
	generate(t, p)
	ours, err := corpus.ReadDefinitions(p.Output())
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, provider := range providers {
		group := strings.ToLower(strings.TrimPrefix(provider, "Microsoft."))
		theirs := peersDefinitions(t, p.Output(), group)
		for _, d := range ours {
			if strings.HasPrefix(d.Spec.Group, group+".") {
				compareDefinitions(t, d, theirs[d.Spec.Names.Kind], counts)
			}
		}
	}
	for _, d := range differences {
		t.Logf("%6d  %s", counts[d.reason], d.reason)
	}
	t.Logf("%6d  the same", counts[""])
	if counts[""] < 5_000 {
		t.Error("too little was compared")
	}
}

func compareDefinitions(t *testing.T, ours, theirs *v1.CustomResourceDefinition, counts map[string]int) {
	t.Helper()
	if theirs == nil {
		t.Errorf("controller-gen knows no %s", ours.Spec.Names.Kind)
		return
	}
	peers := map[string]*v1.JSONSchemaProps{}
	for _, v := range theirs.Spec.Versions {
		peers[v.Name] = v.Schema.OpenAPIV3Schema
	}
	for _, v := range ours.Spec.Versions {
		if !v.Served || v.Storage {
			continue
		}
		if peers[v.Name] == nil {
			t.Errorf("controller-gen has no %s %s", ours.Name, v.Name)
			continue
		}
		a, b := corpus.Declared(v.Schema.OpenAPIV3Schema), corpus.Declared(peers[v.Name])
		for path := range b {
			if a[path] == nil && !isBelowOpen(a, path) {
				t.Errorf("%s %s: only controller-gen has %s", ours.Name, v.Name, path)
			}
		}
		for path, s := range a {
			counts[explained(t, ours.Name+" "+v.Name, member{path, s, b[path]})]++
		}
	}
}

// isBelowOpen reports whether a path is within something that ours leaves open.
func isBelowOpen(all map[string]*v1.JSONSchemaProps, path string) bool {
	for i := range path {
		if s := all[path[:i]]; i > 0 && s != nil && corpus.Preserves(s) {
			return true
		}
	}
	return false
}

// explained gives the reason of a difference, "" where there is none.
func explained(t *testing.T, name string, p member) string {
	t.Helper()
	if p.sameType() {
		ours, theirs := slices.Sorted(slices.Values(p.ours.Required)), slices.Sorted(slices.Values(p.theirs.Required))
		if slices.Equal(ours, theirs) && !p.isOpen() {
			return ""
		}
	}
	for _, d := range differences {
		if d.is(p) {
			return d.reason
		}
	}
	t.Errorf("%s: %s differs: ours %s, theirs %s", name, p.path, outline(p.ours), outline(p.theirs))
	return "unexplained"
}

func outline(s *v1.JSONSchemaProps) string {
	if s == nil {
		return "nothing"
	}
	return s.Type + " requiring " + strings.Join(s.Required, ", ")
}

// peersDefinitions are what controller-gen makes of the API types of a group, by kind.
func peersDefinitions(t *testing.T, output, group string) map[string]*v1.CustomResourceDefinition {
	t.Helper()
	dir := tasks[1].copyTypes(t, output, group)
	nameGroup(t, dir, group)
	nameStored(t, dir)
	binary, err := command.In{Dir: "peers", Env: []string{"GOWORK=off"}}.Output(t.Context(), "go", "tool", "-n", "controller-gen")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	cmd := exec.CommandContext(t.Context(), strings.TrimSpace(binary), "crd:allowDangerousTypes=true", "paths=./...", "output:crd:dir="+out)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), corpus.GoEnv...)
	if printed, err := cmd.CombinedOutput(); err != nil && !isOnlyFreeJSON(string(printed)) {
		t.Fatalf("%v\n%s", err, printed)
	}
	files, err := filepath.Glob(filepath.Join(out, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("controller-gen wrote %d definitions, %v", len(files), err)
	}
	all := map[string]*v1.CustomResourceDefinition{}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := new(v1.CustomResourceDefinition)
		if err := yaml.Unmarshal(body, d); err != nil {
			t.Fatal(err)
		}
		all[d.Spec.Names.Kind] = d
	}
	return all
}

// isOnlyFreeJSON reports whether controller-gen complains of nothing but the Go type of free JSON,
// which it takes for bytes and for a list; it writes the definitions all the same.
func isOnlyFreeJSON(printed string) bool {
	complaints := 0
	for line := range strings.Lines(printed) {
		if strings.Contains(line, ":-: ") {
			complaints++
			if !strings.Contains(line, "conflicting types in allOf branches in schema: string vs array") {
				return false
			}
		}
	}
	return complaints > 0
}

// nameGroup adds the marker by which controller-gen knows the group of a package.
func nameGroup(t *testing.T, dir, group string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "groupversion.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d packages, %v", len(files), err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		body = bytes.Replace(body, []byte("\npackage "), []byte("\n// +groupName="+group+".example.com\npackage "), 1)
		if err := os.WriteFile(file, body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// nameStored adds the marker by which controller-gen knows which version is stored to the last of
// each kind.
func nameStored(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*_types.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of types, %v", len(files), err)
	}
	last := map[string]string{}
	for _, file := range files {
		last[filepath.Base(file)] = file
	}
	for _, file := range last {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		const status = "// +kubebuilder:subresource:status\n"
		body = bytes.Replace(body, []byte(status), []byte(status+"// +kubebuilder:storageversion\n"), 1)
		if err := os.WriteFile(file, body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
