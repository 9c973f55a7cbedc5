package history_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/e2e/history"
)

// form is the worked example in another kind of source. testdata/differences lists, with the
// reason, the differences of its stored objects from those of ARM schemas.
type form struct {
	name    string
	sources func(t *testing.T) []map[string]any
	types   []string          // that it has
	native  map[string]string // what it calls the types, if it speaks Kubernetes
	renames []history.Rename  // that it needs, in place of those of the reference
	within  string            // a folder of the schemas that must be in the module, as Go packages must
}

var forms = []form{
	{name: "bicep", sources: bicepForm, types: []string{crm + "persons", crm + "parties", crm + "persons/notes"}, renames: crmRenames},
	{name: "openapi", sources: openapiForm, types: []string{crm + "persons", crm + "parties", crm + "persons/notes"}, renames: crmRenames},
	{name: "crd", sources: crdForm, types: []string{crm + "persons", crm + "parties", crm + "persons/notes"}, native: natives,
		renames: []history.Rename{
			{Version: "v20140404", Type: "PersonProperties", Property: "alphaKey", To: "sortKey"},
			{Version: "v20140404", Type: "PersonStatusProperties", Property: "alphaKey", To: "sortKey"},
		}},
	{name: "go", sources: goForm, types: []string{crm + "persons", crm + "parties", crm + "persons/notes"}, native: natives, within: "crm-go"},
}

// natives are the resources of the worked example by their types in ARM schemas.
var natives = map[string]string{
	crm + "persons": "crm.example.com/persons", crm + "parties": "crm.example.com/parties", crm + "persons/notes": "crm.example.com/personsnotes",
}

func crdForm(t *testing.T) []map[string]any {
	return []map[string]any{{"crd": map[string]any{"root": example(t, "crm-crd")}}}
}

func bicepForm(t *testing.T) []map[string]any {
	return []map[string]any{{"bicep": map[string]any{"root": example(t, "crm-bicep"), "include": []string{"microsoft.crm/*/types.json"}}}}
}

func goForm(*testing.T) []map[string]any {
	return []map[string]any{{"go": map[string]any{"packages": []string{corpus.ModulePath + "/crm-go"}}}}
}

func openapiForm(t *testing.T) []map[string]any {
	return []map[string]any{{"openapi": map[string]any{"root": example(t, "crm-openapi"), "include": []string{"microsoft.crm/*/*/crm.json"}}}}
}

// formCases is how many objects are drawn in each version.
const formCases = 25

// TestForms proves that the worked example is stored as the same bytes in all its forms.
func TestForms(t *testing.T) {
	tier.Long(t, "generates and compiles the worked example from four kinds of sources")
	for _, f := range forms {
		t.Run(f.name, f.prove)
	}
}

func (f form) prove(t *testing.T) {
	site := site(t, "forms")
	f.putSources(t, site)
	var folders []string
	for _, resource := range f.types {
		subject := history.Subject{Type: resource, Schemas: example(t, "crm")}
		var renames, others []history.Rename
		if resource == crm+"persons" {
			renames, others = crmRenames, f.renames
		}
		trees := append(
			generate(t, site, subject, "forms", history.Stage{Name: "reference", Because: "ARM schemas", Renames: renames}),
			generate(t, site, subject, f.name, history.Stage{Name: "other", Because: f.name, Renames: others, Native: f.native[resource], Sources: f.sources(t)})...)
		folders = append(folders, f.writeTests(t, site, trees))
	}
	results := run(t, site, formCases, folders...)
	for i, folder := range folders {
		pkg := corpus.ModulePath + "/" + folder
		if !results.Passed[pkg+"/TestForms"] {
			t.Errorf("%s is stored otherwise\n%s", f.types[i], failures(results, pkg))
		}
	}
}

// generate generates one stage, which has no past. The reference is the same for all forms, and so
// is compiled once.
func generate(t *testing.T, site history.Site, subject history.Subject, name string, stage history.Stage) []history.Tree {
	t.Helper()
	trees, err := site.GenerateStages(t.Context(), subject, history.History{Name: name, Stages: []history.Stage{stage}})
	if err != nil {
		t.Fatal(err)
	}
	return trees
}

// putSources puts the sources into the module that must lie there.
func (f form) putSources(t *testing.T, site history.Site) {
	t.Helper()
	if f.within == "" {
		return
	}
	sources := os.DirFS(example(t, f.within))
	names, err := fs.Glob(sources, "*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		if files[name], err = fs.ReadFile(sources, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := site.WriteFolder(f.within, files); err != nil {
		t.Fatal(err)
	}
}

// writeTests writes the test package of two forms.
func (f form) writeTests(t *testing.T, site history.Site, trees []history.Tree) string {
	t.Helper()
	files := engine(t, "generation", "forms")
	glue(t, files, trees...)
	list := trees[0].Subject.Name() + "-" + f.name + ".txt"
	body, err := os.ReadFile(filepath.Join("testdata", "differences", list))
	if err != nil {
		t.Fatal(err)
	}
	files[list] = body
	files["call_test.go"] = fmt.Appendf(nil, "package proofs\n\nimport \"testing\"\n\nfunc TestForms(t *testing.T) { alike(t, %s, %s, %q) }\n",
		trees[0].Variable(), trees[1].Variable(), list)
	folder := path.Join(trees[1].Subject.Name(), trees[1].History, "proofs")
	if err := site.WriteFolder(folder, files); err != nil {
		t.Fatal(err)
	}
	return folder
}
