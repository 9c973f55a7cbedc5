package corpus_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

func TestMain(m *testing.M) { labtest.Main(m) }

// all reports whether everything is to be compiled, not just five providers.
var all = os.Getenv("STRATA_CORPUS") != ""

// lab is the lab that all tests share. A test that asks for it is skipped in short mode and without
// real schemas.
func lab(t *testing.T) *corpus.Lab {
	t.Helper()
	l := bareLab(t)
	if l.Missing != nil {
		t.Skipf("needs corpora: %v", l.Missing)
	}
	return l
}

// bareLab is the same lab, for tests that need no real schemas.
func bareLab(t *testing.T) *corpus.Lab {
	t.Helper()
	if testing.Short() {
		t.Skip("short: runs the generator for long")
	}
	l, err := labtest.Open()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// spare is what is left of a test's time for saying what went wrong.
const spare = 20 * time.Second

// inTime ends somewhat before the test has to.
func inTime(t *testing.T) context.Context {
	deadline, ok := t.Deadline()
	if !ok {
		return t.Context()
	}
	ctx, cancel := context.WithDeadlineCause(t.Context(), deadline.Add(-spare),
		errors.New("the test's time is over; what was compiled is kept, so that the next run is faster (or give -timeout=20m)"))
	t.Cleanup(cancel)
	return ctx
}

func project(t *testing.T, name string, p corpus.Project) corpus.Project {
	t.Helper()
	p, err := bareLab(t).Project(name, p)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func generate(t *testing.T, p corpus.Project, flags ...string) corpus.Report {
	t.Helper()
	report, err := bareLab(t).Generate(t.Context(), p, flags...)
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
