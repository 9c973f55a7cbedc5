package explorer_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/analysis/explain"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/chain/chaintest"
	"github.com/stratakube/strata/generator/internal/emit/explorer"
	"github.com/stratakube/strata/generator/internal/plan"
)

// TestHistoryIsExplained compares the properties at the roots of random kinds, and in the objects
// there, with the result of strata explain.
func TestHistoryIsExplained(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		all := chaintest.Resources(t, chaintest.Options{Names: append(chaintest.Plain, chaintest.Odd...), Resources: 1, Versions: 4, Statuses: true})
		c, problems := chain.Link(context.Background(), all, chain.Options{})
		if len(problems) > 0 {
			t.Skip("not this case: cannot be linked")
		}
		for _, g := range plan.Decide(context.Background(), c, plan.Options{}).Groups {
			for i, k := range explorer.New(g).Kinds {
				for _, o := range k.Objects {
					compared += agrees(t, g.Kinds[i], o)
				}
			}
		}
	})
	if compared == 0 {
		t.Error("no property was compared")
	}
}

// agrees compares the properties of an object, and returns how many there were. An object whose
// path is ambiguous is left out.
func agrees(t *rapid.T, k *plan.Kind, o *explorer.Object) int {
	compared := 0
	for _, p := range o.Properties {
		path := strings.TrimPrefix(o.Path+"."+p.ID, ".")
		if strings.ContainsAny(path, "@*") || strings.HasPrefix(strings.ToLower(path), "status.") { // a path of several properties
			continue
		}
		found, err := explain.Explain(k, path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if len(found) != 1 {
			continue
		}
		compared++
		for i, row := range found[0].Rows {
			cell := p.Cells[i]
			if !fits(cell, row) {
				t.Fatalf("%s of %s: %+v and %+v", path, row.Label, cell, row)
			}
		}
	}
	return compared
}

// fits reports whether a cell is as a row says. The row is about one path. The object may also be
// at another one, on which the version has it.
func fits(cell explorer.Cell, row explain.Row) bool {
	switch row.State {
	case explain.Live:
		return cell.State.IsLive() && strings.HasSuffix(row.Path, cell.Name) && row.Type == cell.Type.Text && row.Required == cell.Required
	case explain.Away:
		return cell.State == explorer.Bag && slices.EqualFunc(cell.Keys, row.Bag, func(a explorer.Key, b explain.Bag) bool {
			return a.Name == b.Key && a.Type == b.Type && a.Old == b.Old
		})
	case explain.Nowhere:
		return cell.State == explorer.Nowhere || cell.State == explorer.Absent || len(cell.Keys) > 0 || cell.State.IsLive()
	}
	return true
}
