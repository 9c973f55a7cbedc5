package corpus_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

var (
	firstKind = flag.Uint64("kinds.first", 0, "number of the first random kind, as in the name of a kind; 0 for the usual ones")
	kindCount = flag.Int("kinds.count", 1, "number of random kinds, beginning with the first")
	kindCases = flag.Int("kinds.cases", 1500, "number of objects for each version of the kinds from the first on")
)

// randomRun is a run of the generator on random kinds, and of the tests that it generates.
type randomRun struct {
	first uint64
	count int
	cases int
	env   []string // of the tests
}

// randomRuns returns a short run, more of them for a soak, or the one that the flags ask for.
func randomRuns() []randomRun {
	switch {
	case *firstKind != 0:
		return []randomRun{{*firstKind, *kindCount, *kindCases, nil}}
	case tier.IsSoak():
		return []randomRun{{0x1000, 30, 1500, nil}, {0x2000, 30, 1500, nil}, {0x3000, 30, 1500, nil}, {0x4000, 30, 1500, nil}}
	default:
		return []randomRun{{0x1000, 12, 400, nil}}
	}
}

// TestRandomKinds proves the laws on random kinds. A failure names the kind and the case:
// -kinds.first=0x1007 draws Kind1007 alone.
func TestRandomKinds(t *testing.T) {
	if !all && !tier.IsSoak() && *firstKind == 0 {
		t.Skip("needs STRATA_CORPUS=1: compiles and runs the code of many random kinds")
	}
	for _, run := range randomRuns() {
		t.Run(fmt.Sprintf("%#x", run.first), func(t *testing.T) { run.prove(t) })
	}
}

// TestFormerFailures draws the kinds and the objects that broke a law before. It is quick enough
// for every run.
func TestFormerFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("short: compiles generated code")
	}
	for _, failure := range []struct {
		name, seed string
		kind       uint64
	}{
		{"a property has the name of a raw value", "0xff729f45f11ffc1a", 0x1006},
		{"a version lacks a bag that its own type does not have", "0xfe698f45f03ec5d6", 0x100d},
	} {
		t.Run(failure.name, func(t *testing.T) {
			randomRun{failure.kind, 1, 1, []string{"STRATA_SEED=" + failure.seed}}.prove(t)
		})
	}
}

func (r randomRun) prove(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "crds")
	project, err := corpus.RandomKinds(dir, r.first, r.count)
	if err != nil {
		t.Fatal(err)
	}
	m, unlock, err := corpus.OpenModule(labtest.Lab(t).Workspace, "random", project)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := os.RemoveAll(m.Output()); err != nil {
		t.Fatal(err)
	}
	report := generate(t, m.Project)
	if report.Summary.Resources != r.count || report.Summary.Omitted != 0 {
		t.Fatalf("%d kinds are generated, and %d versions are omitted: %s", report.Summary.Resources, report.Summary.Omitted, report.Stderr)
	}
	checkFormat(t, m.Output())
	goes(t, m, nil, "vet", "./api/...")
	checkGeneratedTests(t, m, r.cases, r.env...)
}

// TestRandomKindsAreValid generates many random kinds, whose declared changes the generator must
// accept. It compiles nothing.
func TestRandomKindsAreValid(t *testing.T) {
	tier.Long(t, "generates many random kinds")
	runs := []randomRun{{1, 150, 0, nil}, {0x900000, 100, 0, nil}}
	if *firstKind != 0 {
		runs = []randomRun{{*firstKind, *kindCount, 0, nil}}
	}
	for _, run := range runs {
		project, err := corpus.RandomKinds(filepath.Join(t.TempDir(), "crds"), run.first, run.count)
		if err != nil {
			t.Fatal(err)
		}
		project.Dir = t.TempDir()
		if err := project.Write(); err != nil {
			t.Fatal(err)
		}
		report := generate(t, project)
		if report.Summary.Resources != run.count || report.Summary.Omitted != 0 {
			t.Errorf("%d kinds are generated, and %d versions are omitted: %s", report.Summary.Resources, report.Summary.Omitted, report.Stderr)
		}
	}
}

// TestRandomKindsAreSameAgain draws a kind together with others and alone. It checks that all
// kinds together have what the laws need, such as open objects and all declared changes.
func TestRandomKindsAreSameAgain(t *testing.T) {
	together, alone := t.TempDir(), t.TempDir()
	project, err := corpus.RandomKinds(together, 1, 40)
	if err != nil {
		t.Fatal(err)
	}
	declared, err := json.Marshal(project.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"nameInNextVersion", "movedTo", "plural", "singular", "wrappedIn", "unwrappedFrom", "split", "join", "factor", "values", "keyedBy", "listedBy", "changedIn"} {
		if !bytes.Contains(declared, []byte(strconv.Quote(want))) {
			t.Errorf("no kind declares %s", want)
		}
	}
	if !bytes.Contains(declared, []byte(`"renamedTo"`)) {
		t.Error("no change in a preview comes with a new name")
	}
	if len(project.Hubs) == 0 {
		t.Error("no kind has a chosen hub")
	}
	if !bytes.Contains(declared, []byte(`beta1":{`)) {
		t.Error("no change is declared for a preview")
	}
	var all bytes.Buffer
	for name := range tree(t, together) {
		all.Write(read(t, filepath.Join(together, name)))
	}
	for _, want := range []string{"preserve-unknown-fields", "int-or-string", "list-map-keys", "beta1", "oneOf", `"additionalProperties"`, `"$propertyBag"`} {
		if !bytes.Contains(all.Bytes(), []byte(want)) {
			t.Errorf("no kind has %s", want)
		}
	}
	if _, err := corpus.RandomKinds(alone, 7, 1); err != nil {
		t.Fatal(err)
	}
	files := tree(t, alone)
	if _, drawn := files["kind7s.yaml"]; !drawn || len(files) != 1 {
		t.Fatalf("%d files are drawn, among them Kind7: %t", len(files), drawn)
	}
	if !bytes.Equal(read(t, filepath.Join(alone, "kind7s.yaml")), read(t, filepath.Join(together, "kind7s.yaml"))) {
		t.Error("Kind7 is another one if it is drawn alone")
	}
}
