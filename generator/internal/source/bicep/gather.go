package bicep

import "github.com/stratakube/strata/generator/internal/source"

// gather combines the results of the units, which are sorted by path.
func gather(units []*unit) *source.Result {
	r := &source.Result{}
	var declared []source.Declared
	for _, u := range units {
		declared = append(declared, u.declared...)
		r.Broken = append(r.Broken, u.broken...)
		r.Notes = append(r.Notes, u.noted()...)
		if u.doc != nil {
			r.Files = append(r.Files, u.doc.file)
		}
	}
	r.Resources = source.Unite(declared)
	return r
}
