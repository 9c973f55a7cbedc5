package source

import "github.com/stratakube/strata/generator/internal/model"

// Export is something that people have declared elsewhere, and want in the package of a version too: a type, constant or variable
// of a package, which that package calls Ident.
type Export struct {
	Group, Version string // as the source has them
	Keyword        string // type, const or var
	Name, Doc      string
	Package        string // import path
	PackageName    string
	Ident          string
	Pos            model.Pos
}
