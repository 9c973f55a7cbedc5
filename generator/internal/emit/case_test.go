package emit_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/emit"
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/refine"
	"github.com/stratakube/strata/generator/internal/source/arm"
)

// proofModule is the module that all generated packages of the tests belong to.
const proofModule = "example.com/proof"

// sample is a plan whose files the tests examine.
type sample struct {
	name string
	plan *plan.Plan
}

// files returns the files of a sample, below a folder of its name.
func (s sample) files(workers int) []emit.File {
	layout := gofile.Layout{Module: proofModule + "/" + s.name, Runtime: gofile.DefaultRuntime}
	return emit.Files(context.Background(), s.plan, layout, workers)
}

// archives returns the paths of all cases.
func archives(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	return paths
}

// readCase reads an archive: "model" is refined, "renames" has lines of folder,
// version, type, property and new name.
func readCase(t testing.TB, path string) (*txtar.Archive, sample) {
	t.Helper()
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	opts := chain.Options{Suffix: "example.com"}
	for line := range strings.Lines(section(a, "renames")) {
		w := strings.Fields(line)
		opts.Renames = append(opts.Renames, chain.Rename{Folder: w[0], Version: w[1], Type: w[2], Property: w[3], To: w[4]})
	}
	name := strings.TrimSuffix(filepath.Base(path), ".txtar")
	return a, sample{name, decide(t, parse(t, section(a, "model")), opts)}
}

func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func parse(t testing.TB, text string) []*model.Resource {
	t.Helper()
	resources, err := model.Parse("model", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return resources
}

func decide(t testing.TB, resources []*model.Resource, opts chain.Options) *plan.Plan {
	t.Helper()
	c, problems := chain.Link(context.Background(), resources, opts)
	for _, p := range problems {
		t.Fatalf("linking: %s", p.Text)
	}
	return plan.Decide(context.Background(), c, plan.Options{})
}

// cases returns the samples of all archives.
func cases(t testing.TB) []sample {
	t.Helper()
	var out []sample
	for _, path := range archives(t) {
		_, s := readCase(t, path)
		out = append(out, s)
	}
	return out
}

// workedExample returns the repository's own example, without its metadata.
func workedExample(t testing.TB) sample {
	t.Helper()
	read, err := arm.Read(t.Context(), arm.Options{Root: "../../../schemas/crm"})
	if err != nil {
		t.Fatal(err)
	}
	refined := refine.Refine(context.Background(), read.Resources, refine.Options{})
	if len(refined.Resources) == 0 || len(refined.Problems) > 0 || len(read.Broken) > 0 {
		t.Fatalf("%d resources, problems %v, broken %v", len(refined.Resources), refined.Problems, read.Broken)
	}
	return sample{"crm", decide(t, refined.Resources, chain.Options{Suffix: "example.com"})}
}
