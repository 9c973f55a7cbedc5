package engine

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/source"
)

// exported returns the user's declarations to export from packages of API types, by their
// folders.
func (ch Chain) exported() map[string][]plan.Export {
	out := map[string][]plan.Export{}
	for _, e := range ch.Exports {
		folder := ch.folderOfExport(e)
		out[folder] = append(out[folder], plan.Export{
			Keyword: e.Keyword, Name: e.Name, Doc: e.Doc, Package: e.Package, PackageName: e.PackageName, Ident: e.Ident,
		})
	}
	return out
}

func (run *Run) folderOfExport(e source.Export) string {
	label, _ := chain.Label(e.Version)
	return run.folders.Of(e.Group) + "/" + label
}

// checkExports reports exports whose names the package of API types already declares.
func (pl Plan) checkExports() {
	taken := map[string][]string{} // by folder
	for _, g := range pl.plan.Groups {
		for _, p := range g.Packages {
			if !p.Pruned() {
				taken[p.Folder()] = p.Declared()
			}
		}
	}
	for _, e := range pl.Exports {
		folder := pl.folderOfExport(e)
		if slices.Contains(taken[folder], e.Name) {
			pl.Messages.Add(diag.Errorf(pl.positions.At(e.Pos), "%s is declared twice in version %s", e.Name, e.Version).
				WithHint("what is generated has it too: give it another name, `type Other%s = ...`", e.Name))
		}
		taken[folder] = append(taken[folder], e.Name)
	}
}
