package refine

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/generator/internal/model"
	front "github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/arm"
	"github.com/stratakube/strata/generator/internal/source/bicep"
)

// corpora returns the published schemas and types as raw resources. They are below
// STRATA_CORPORA, or in ../shared/corpora beside the repository. Without them the test is
// skipped.
func corpora(t *testing.T) []*model.Resource {
	t.Helper()
	dir := os.Getenv("STRATA_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "corpora")
	}
	if _, err := os.Stat(filepath.Join(dir, "arm", "manifest.tsv")); err != nil {
		t.Skipf("needs corpora: there are no ARM schemas at %s; set STRATA_CORPORA to the folder that holds arm/manifest.tsv", dir)
	}
	var all []*model.Resource
	for _, s := range []struct {
		root string
		read func(context.Context, front.Options) (*front.Result, error)
	}{{"arm/schemas", arm.Read}, {"bicep", bicep.Read}, {"bicep-network", bicep.Read}} {
		result, err := s.read(t.Context(), front.Options{Root: filepath.Join(dir, s.root)})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, result.Resources...)
	}
	return all
}

// TestBudgetOfCorpora checks that no known schema uses more than a quarter of its budget.
func TestBudgetOfCorpora(t *testing.T) {
	raw := corpora(t)
	versions, most := 0, 0.0
	for i, r := range named(raw, nil, nil) {
		for _, declared := range byVersion(raw[i]) {
			versions++
			u := newUnit(declared)
			u.ctx, u.resource = t.Context(), r
			b := u.body(u.declared...)
			b.observe(u.statuses...)
			all := newBudget()
			for _, d := range declared {
				all.grow(d.Spec)
				all.grow(d.Status)
			}
			if taken := all.left - b.budget.left; taken > all.left/4 {
				t.Errorf("%s %s takes %d of %d", r.Type, declared[0].Name, taken, all.left)
			}
			taken := all.written - b.budget.written
			if most = max(most, float64(taken)/float64(all.written)); taken > all.written/4 {
				t.Errorf("unions of %s %s take %d of %d", r.Type, declared[0].Name, taken, all.written)
			}
		}
	}
	t.Logf("written unions take at most %.1f %% of a budget", 100*most)
	if versions < 5000 {
		t.Errorf("the corpora have %d versions of resources", versions)
	}
}
