package history

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/plan"
)

// structsOf returns a storage struct for every place of a kind in every version that has the place.
func structsOf(k *plan.Kind) map[*chain.Place][]*plan.Struct {
	type spot struct {
		place   *chain.Place
		version int
		is      *plan.Struct
	}
	out := map[*chain.Place][]*plan.Struct{}
	var next []spot
	for i, kv := range k.Versions {
		next = append(next, spot{k.Resource.Root, i, kv.Spec})
		if k.Resource.Status != nil {
			next = append(next, spot{k.Resource.Status, i, kv.Status})
		}
	}
	for len(next) > 0 {
		s := next[0]
		next = next[1:]
		if out[s.place] == nil {
			out[s.place] = make([]*plan.Struct, len(k.Versions))
		}
		if s.is == nil || out[s.place][s.version] != nil {
			continue
		}
		out[s.place][s.version] = s.is
		for _, f := range s.is.Fields {
			l := s.place.At(s.version, f.Property.Name)
			if l == nil || f.Type.Struct == nil {
				continue
			}
			if child := l.Child(s.version); child != nil {
				next = append(next, spot{child, s.version, f.Type.Struct})
			}
		}
	}
	return out
}

// between returns the step between the structs of two neighbours; nil if their storage types are
// equal.
func between(structs []*plan.Struct, at pair) *plan.Step {
	if structs == nil || structs[at.Far] == nil || structs[at.Near] == nil || structs[at.Far].Shared() {
		return nil
	}
	far, near := structs[at.Far], structs[at.Near]
	for _, candidate := range []*plan.Struct{near, near.Host} {
		if s := far.Between(candidate); s != nil {
			return s
		}
	}
	return nil
}

// conversions returns what functions and declared changes convert in a step.
func conversions(p *chain.Place, step *plan.Step, at pair) []conversion {
	var out []conversion
	for _, d := range step.Derived {
		if d.Moved != nil || d.FillsFar() || d.FillsNear() {
			continue
		}
		far, near := indexOf(p, at.Far, d.Far.Property.Name), indexOf(p, at.Near, d.Near.Property.Name)
		if far >= 0 && near >= 0 {
			out = append(out, conversion{at, []int{far}, []int{near}})
		}
	}
	for _, m := range p.Moves(at.Far, at.Near) {
		if isApplied(step, m, at) {
			out = append(out, conversion{at, indices(m.Far), indices(m.Near)})
		}
	}
	return out
}

// isApplied reports whether a step moves a property as m declares.
func isApplied(step *plan.Step, m chain.Move, at pair) bool {
	return slices.ContainsFunc(step.Derived, func(d *plan.Derived) bool {
		return d.Moved != nil && isPath(m.Far, at.Far, d.Moved.Far.Path) && isPath(m.Near, at.Near, d.Moved.Near.Path)
	})
}

// isPath reports whether a path has the names of stored objects in a version.
func isPath(path []*chain.Lineage, version int, names []string) bool {
	return slices.EqualFunc(path, names, func(l *chain.Lineage, name string) bool { return chain.StoredName(l.Live[version].Name) == name })
}

func indexOf(p *chain.Place, version int, property string) int {
	return slices.Index(p.Lineages, p.At(version, property))
}

func indices(path []*chain.Lineage) []int {
	var out []int
	for _, l := range path {
		out = append(out, slices.Index(l.Place.Lineages, l))
	}
	return out
}
