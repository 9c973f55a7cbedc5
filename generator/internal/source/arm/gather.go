package arm

import (
	"cmp"
	"slices"

	"github.com/stratakube/strata/generator/internal/source"
)

// gather combines the results of the units, which are sorted by path.
func gather(units []*unit) *source.Result {
	r := &source.Result{}
	var declared []source.Declared
	for _, u := range units {
		declared = append(declared, u.declared...)
		r.Broken = append(r.Broken, u.broken...)
	}
	r.Resources = source.Unite(declared)
	r.Notes = gatherNotes(units)
	r.Files = gatherFiles(units)
	return r
}

func gatherFiles(units []*unit) []source.File {
	var files []source.File
	for _, u := range units {
		files = append(files, u.files...)
	}
	slices.SortFunc(files, func(a, b source.File) int { return cmp.Compare(a.Path, b.Path) })
	return slices.CompactFunc(files, func(a, b source.File) bool { return a.Path == b.Path })
}
