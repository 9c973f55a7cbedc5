package document

import (
	"cmp"
	"slices"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/source"
)

// Unit is what a front-end read from one file. Units share no mutable data.
type Unit struct {
	Declared []source.Declared
	Broken   []source.Broken
	Notes    []RecordedNote
	Files    []source.File // the unit's own file, and those it refers to
}

// Reject records a resource version that cannot be understood. Type and version are empty if the
// errors belong to none.
func (u *Unit) Reject(broken source.Broken, messages ...diag.Message) {
	broken.Messages = messages
	u.Broken = append(u.Broken, broken)
}

// Gather combines the results of units, which are sorted by path.
func Gather(units []*Unit) *source.Result {
	r := &source.Result{Notes: gatherNotes(units)}
	var declared []source.Declared
	for _, u := range units {
		declared = append(declared, u.Declared...)
		r.Broken = append(r.Broken, u.Broken...)
		r.Files = append(r.Files, u.Files...)
	}
	r.Resources = source.Unite(declared)
	slices.SortFunc(r.Files, func(a, b source.File) int { return cmp.Compare(a.Path, b.Path) })
	r.Files = slices.CompactFunc(r.Files, func(a, b source.File) bool { return a.Path == b.Path })
	return r
}

// Units describes units for [source.Result]. It returns nil if a unit has no file.
func Units(units []*Unit) []source.Unit {
	out := make([]source.Unit, 0, len(units))
	for _, u := range units {
		if len(u.Files) == 0 {
			return nil
		}
		described := source.Unit{Path: u.Files[0].Path, Files: u.Files}
		for _, d := range u.Declared {
			described.Types = append(described.Types, d.Type)
		}
		for _, b := range u.Broken {
			described.Types = append(described.Types, b.Type)
		}
		out = append(out, described)
	}
	return out
}
