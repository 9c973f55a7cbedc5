package source

import "github.com/stratakube/strata/generator/internal/model"

// Export is a type, constant or variable that the author declared in another package, and wants in
// the package of a version too. Ident is its name there.
type Export struct {
	Group, Version string // as the source spells them
	Keyword        string // type, const or var
	Name, Doc      string
	Package        string // import path
	PackageName    string
	Ident          string
	Pos            model.Pos
}
