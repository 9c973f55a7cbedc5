package gotypes

import (
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// Exports writes the user's exports in a package of API types.
func Exports(l gofile.Layout, p *plan.Package) *gofile.File {
	w := &writer{Go: l.Types(p), side: gofile.APISide}
	for i, e := range p.Exports {
		if i > 0 {
			w.P()
		}
		if e.Doc != "" {
			w.Comment("", e.Doc)
		}
		w.P(e.Keyword, " ", e.Name, " = ", w.Use(e.Package, e.PackageName, e.Ident))
	}
	return w.File
}
