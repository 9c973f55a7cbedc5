package removals

import (
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
)

// stay adds findings about the properties of an object that the next version has too, if their
// types or values suggest a change. A property with an entry of its own is assessed.
func (s *search) stay(o spot, next *chain.Version, paths map[*chain.Place]string) {
	i := o.version.Index
	for _, l := range o.place.Lineages {
		p, q := l.Live[i], l.Live[next.Index]
		if p == nil || q == nil || p.Name == chain.AdditionalName || s.isDecided(o, p) || s.isNamedBySpec(o, p) ||
			o.place.Change(i, p) != nil || o.place.Resource.Leaves(i, o.def(), p) {
			continue
		}
		change, ok := suggest(p, q)
		in, isInTime := s.changedIn(o, l, l, next)
		if !ok || !isInTime || o.isOtherwise(l, q, change) || !s.fits(o, p, change, in) {
			continue
		}
		s.propose(o, p, next, paths[o.place], Candidate{
			Name: q.Name, Change: declared(change.Operation, in), Likelihood: change.likelihood, Why: []string{"same name", change.why}, isChange: true,
		})
	}
}

// isDecided reports whether the metadata or a function already determines what becomes of a
// property. `conversion: auto` determines that it converts by its name.
func (s *search) isDecided(o spot, p *model.Property) bool {
	i := o.version.Index
	return s.isAssessed(o, p) || s.isMade(o, p) || o.place.Mode(i, p) != chain.Auto || s.converted.mean(o, p)
}

// isNamedBySpec reports whether a property of a status has a finding as a property of the spec,
// whose entry is about both.
func (s *search) isNamedBySpec(o spot, p *model.Property) bool {
	for _, name := range o.place.Names(o.version.Index) {
		if name != o.def().Name && s.found[key{o.place.Resource.Group.Folder, o.version.Model.Name, name, p.Name}] != nil {
			return true
		}
	}
	return false
}

// isOtherwise reports whether the version before a leaf suggests a change that is not that of the
// leaf. Both would lead to the next version.
func (o spot) isOtherwise(l *chain.Lineage, later *model.Property, change suggestion) bool {
	before := o.version.Next
	if !o.version.Leaf || before == nil || l.Live[before.Index] == nil {
		return false
	}
	other, ok := suggest(l.Live[before.Index], later)
	return ok && !other.Is(change.Operation)
}

// fits reports whether a change can be declared for the property in all objects of the type.
func (s *search) fits(o spot, p *model.Property, change suggestion, in string) bool {
	g, version, typ := o.place.Resource.Group, o.version.Model.Name, o.def().Name
	var with []spot
	for _, at := range s.spotsOf(g, version, typ) {
		if at.find(p.Name) != nil {
			with = append(with, at)
		}
	}
	about := subject{g.Folder, version, typ, p.Name, diag.Pos{}}
	return o.def().Map == nil && about.change(with, config.Change{Operation: change.Operation, In: in}) == nil
}

// propose adds a finding about a property that is there in the next version, once for its type.
func (s *search) propose(o spot, p *model.Property, next *chain.Version, path string, c Candidate) {
	f, isNew := s.finding(o, p, next, path)
	if isNew {
		f.Candidates = append(f.Candidates, c)
	}
}
