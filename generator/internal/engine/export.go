package engine

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/source"
)

// exported are what people want among the API types of packages, by the folders of these.
func (b *build) exported() map[string][]plan.Export {
	out := map[string][]plan.Export{}
	for _, e := range b.exports {
		folder := b.folderOfExport(e)
		out[folder] = append(out[folder], plan.Export{
			Keyword: e.Keyword, Name: e.Name, Doc: e.Doc, Package: e.Package, PackageName: e.PackageName, Ident: e.Ident,
		})
	}
	return out
}

func (b *build) folderOfExport(e source.Export) string {
	label, _ := chain.Label(e.Version)
	return b.folders.Of(e.Group) + "/" + label
}

// checkExports reports names that are taken in the packages that they are wanted in.
func (b *build) checkExports() {
	taken := map[string][]string{} // by folder
	for _, g := range b.plan.Groups {
		for _, p := range g.Packages {
			if !p.Pruned() {
				taken[p.Folder()] = p.Declared()
			}
		}
	}
	for _, e := range b.exports {
		folder := b.folderOfExport(e)
		if slices.Contains(taken[folder], e.Name) {
			b.Messages.Add(diag.Errorf(b.places.At(e.Pos), "%s is declared twice in version %s", e.Name, e.Version).
				WithHint("what is generated has it too: give it another name, `type Other%s = ...`", e.Name))
		}
		taken[folder] = append(taken[folder], e.Name)
	}
}
