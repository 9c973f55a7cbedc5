package corpus_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

func TestMain(m *testing.M) { labtest.Main(m) }

// all reports whether everything is to be compiled, not just five providers.
var all = os.Getenv("STRATA_CORPUS") != ""

func project(t *testing.T, name string, p corpus.Project) corpus.Project {
	t.Helper()
	lab := labtest.Lab
	if p.Schemas == "" { // those of the corpora
		lab = labtest.WithSchemas
	}
	p, err := lab(t).Project(name, p)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func generate(t *testing.T, p corpus.Project, flags ...string) corpus.Report {
	t.Helper()
	report, err := labtest.Lab(t).Generate(t.Context(), p, flags...)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func manifest(t *testing.T, output string) corpus.Manifest {
	t.Helper()
	m, err := corpus.ReadManifest(output)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func tree(t *testing.T, dir string) corpus.Tree {
	t.Helper()
	found, err := corpus.ReadTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("nothing lies in %s", dir)
	}
	return found
}

// some is the start of a list that may be very long.
func some(list []string) string {
	const most = 20
	text := strings.Join(list[:min(len(list), most)], "\n")
	if len(list) > most {
		text += fmt.Sprintf("\n... and %d more", len(list)-most)
	}
	return text
}
