package stability_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/stability"
)

// form is the worked example as another kind of source has it. What it stores otherwise than the form of ARM schemas is
// listed, with the reason, in testdata/differences.
type form struct {
	name    string
	sources func(t *testing.T) []map[string]any
	types   []string // that it has
}

var forms = []form{
	{"bicep", bicepForm, []string{crm + "persons", crm + "parties", crm + "persons/notes"}},
}

func bicepForm(t *testing.T) []map[string]any {
	return []map[string]any{{"bicep": map[string]any{"root": filepath.Join(example(t), "..", "crm-bicep"), "include": []string{"microsoft.crm/*/types.json"}}}}
}

// formCases is how many objects are drawn in each version.
const formCases = 25

// TestForms proves that the worked example is stored as the same bytes in all its forms.
func TestForms(t *testing.T) {
	for _, f := range forms {
		t.Run(f.name, f.prove)
	}
}

func (f form) prove(t *testing.T) {
	site := site(t, "forms")
	var folders []string
	for _, resource := range f.types {
		subject := stability.Subject{Type: resource, Schemas: example(t)}
		var renames []stability.Rename
		if resource == crm+"persons" {
			renames = crmRenames
		}
		h := stability.History{Name: f.name, Stages: []stability.Stage{
			{Name: "reference", Because: "ARM schemas", Renames: renames},
			{Name: "other", Because: f.name, Renames: renames, Forgets: true, Sources: f.sources(t)},
		}}
		trees, err := site.Tell(t.Context(), subject, h)
		if err != nil {
			t.Fatal(err)
		}
		folders = append(folders, f.place(t, site, trees))
	}
	results := run(t, site, formCases, folders...)
	for i, folder := range folders {
		pkg := corpus.ModulePath + "/" + folder
		if !results.Passed[pkg+"/TestForms"] {
			t.Errorf("%s is stored otherwise\n%s", f.types[i], failures(results, pkg))
		}
	}
}

// place writes the test package of two forms.
func (f form) place(t *testing.T, site stability.Site, trees []stability.Tree) string {
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
	folder := path.Join(trees[0].Subject.Name(), trees[0].History, "proofs")
	if err := site.PlaceAll(folder, files); err != nil {
		t.Fatal(err)
	}
	return folder
}
