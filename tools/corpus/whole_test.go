package corpus_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

// versions is how many resource versions the schemas have.
const versions = 2600

// outcome is a project and the output of a run on it.
type outcome struct {
	corpus.Project
	corpus.Report
}

// generateWhole generates everything with four processors, and generateAlone with one.
var generateWhole, generateAlone = sync.OnceValues(with(4)), sync.OnceValues(with(1))

func with(processors int) func() (outcome, error) {
	return func() (outcome, error) {
		l, err := labtest.Open()
		if err != nil {
			return outcome{}, err
		}
		return generateWith(l, processors)
	}
}

func generateWith(l *corpus.Lab, processors int) (outcome, error) {
	env := []string{fmt.Sprintf("GOMAXPROCS=%d", processors)}
	p, err := l.Project(fmt.Sprintf("whole%d", processors), corpus.Project{Include: corpus.Of(), Env: env})
	if err != nil {
		return outcome{}, err
	}
	report, err := l.Generate(context.Background(), p)
	return outcome{p, report}, err
}

func whole(t *testing.T) outcome { return made(t, generateWhole) }

func made(t *testing.T, generate func() (outcome, error)) outcome {
	t.Helper()
	labtest.WithSchemas(t)
	of, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	return of
}

func TestEveryResourceVersionIsGenerated(t *testing.T) {
	declared, err := labtest.WithSchemas(t).Properties()
	if err != nil {
		t.Fatal(err)
	}
	if len(declared) != versions {
		t.Fatalf("the schemas declare %d resource versions, want %d", len(declared), versions)
	}
	done := manifest(t, whole(t).Output())
	rows := map[corpus.ID]bool{}
	for _, row := range done.Resources {
		if rows[row.ID()] {
			t.Errorf("%v stands twice in the manifest", row.ID())
		}
		rows[row.ID()] = true
		if _, ok := declared[row.ID()]; !ok {
			t.Errorf("%v is generated, and no schema declares it", row.ID())
		}
	}
	for id := range declared {
		if !rows[id] {
			t.Errorf("%v is not generated", id)
		}
	}
	for _, omitted := range done.Omitted {
		t.Errorf("%s %s is omitted: %s", omitted.Source.Type, omitted.Source.Version, omitted.Reason)
	}
	if s := whole(t).Summary; s.Versions != versions || s.Omitted != 0 {
		t.Errorf("the run says %d versions, %d omitted", s.Versions, s.Omitted)
	}
}

// TestNamesAreUnique requires that a kind and a plural each identify one type of resource in
// their group, in any letter case, and that a type has one kind and one plural.
func TestNamesAreUnique(t *testing.T) {
	names := map[string]string{}
	for _, row := range manifest(t, whole(t).Output()).Resources {
		resource := strings.ToLower(row.Source.Type)
		for name, means := range map[string]string{
			"kind " + strings.ToLower(row.Kind) + " of " + row.Group: resource,
			"plural " + row.Plural + " of " + row.Group:              resource,
			"package " + row.Package:                                 row.Group + " " + row.Version,
			resource:                                                 row.Kind + " " + row.Plural + " of " + row.Group,
		} {
			if names[name] == "" {
				names[name] = means
			}
			if names[name] != means {
				t.Errorf("%s is %s and %s", name, names[name], means)
			}
		}
	}
}

func TestAnyNumberOfProcessorsGivesSameBytes(t *testing.T) {
	tier.Long(t, "generates everything several times")
	one, four := made(t, generateAlone), whole(t)
	files := tree(t, four.Output())
	if different := tree(t, one.Output()).Differences(files); len(different) > 0 {
		t.Errorf("%d files differ:\n%s", len(different), some(different))
	}
	for _, wanted := range []string{"manifest.json", "register.go", "ledger/index.json", "ledger/batch/batchaccountspool.txt"} {
		if _, ok := files[wanted]; !ok {
			t.Errorf("there is no %s", wanted)
		}
	}
	if len(files) != four.Summary.Files {
		t.Errorf("%d files lie there, and the run says %d", len(files), four.Summary.Files)
	}
}

func TestUnchangedRunTouchesNothing(t *testing.T) {
	tier.Long(t, "generates from all published schemas")
	p := whole(t).Project
	before := tree(t, p.Output())
	again := generate(t, p)
	if !again.Summary.UpToDate || len(again.Changes) > 0 {
		t.Errorf("the second run changes %d files", len(again.Changes))
	}
	if touched := before.Touched(tree(t, p.Output())); len(touched) > 0 {
		t.Errorf("the second run wrote\n%s", some(touched))
	}
}

// TestAddedCodePerVersion holds what generated code costs its users.
func TestAddedCodePerVersion(t *testing.T) {
	tier.Long(t, "generates from all published schemas")
	const most = 600 // lines without tests
	p := whole(t).Project
	rows := slices.DeleteFunc(manifest(t, p.Output()).Resources, func(r corpus.Resource) bool { return r.Folder() != "storage" })
	code, _, err := corpus.Measured(filepath.Join(p.Output(), "storage"))
	if err != nil {
		t.Fatal(err)
	}
	if code.Lines > most*len(rows) {
		t.Errorf("Microsoft.Storage has %d lines for %d resource versions, want at most %d for each", code.Lines, len(rows), most)
	}
}
