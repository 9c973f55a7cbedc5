package removals

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/operation"
)

// move returns an error of a change that moves a property to another object: both paths must exist,
// and the property that is there in the next version must be new and have a type that the change
// leads to.
func (s subject) move(all []spot, n config.Change) *diag.Message {
	all, fault := s.withLater(all, n)
	for _, at := range all {
		if fault = s.moveAt(at, at.later(n.In), n.Operation); fault == nil {
			return nil
		}
	}
	return fault
}

func (s subject) moveAt(at spot, next *chain.Version, o operation.Operation) *diag.Message {
	if at.place.Defs[next.Index] == nil {
		return s.fault(fmt.Sprintf("the later version, %s, has no %s", next.Model.Name, s.typ), "name the type of an object that both versions have, and paths from there")
	}
	if fault := s.walk(at, o.From); fault != nil {
		return fault
	}
	if fault := s.walk(spot{at.place, next}, o.To); fault != nil {
		return fault
	}
	a, b := at.place.Walk(at.version.Index, o.From), at.place.Walk(next.Index, o.To)
	from, to := a[len(a)-1], b[len(b)-1]
	if to.Transfers(at.version.Index, next.Index) {
		return s.fault(fmt.Sprintf("%s is not new in %s: %s has it too", o.To, next.Model.Name, at.version.Model.Name),
			"declare what becomes of the property that has this name, or write a step: `conversion: custom`")
	}
	if f := o.Fits(from.Live[at.version.Index].Type, to.Live[next.Index].Type); f != nil {
		return s.fault(fmt.Sprintf("%s of %s: %s", o.From, s.typ, f.Text), f.Hint)
	}
	return nil
}

// alone returns an error of a change that moves a property which another entry of the metadata, at
// the property's own type, excludes from conversions.
func (s subject) alone(all []spot, n config.Change, m Metadata) *diag.Message {
	for _, at := range all {
		path := at.place.Walk(at.version.Index, n.Operation.From)
		if path == nil {
			continue
		}
		l := path[len(path)-1]
		for _, c := range m.Conversions {
			isOf := c.Group == n.Group && c.Version == n.Version && spot{l.Place, at.version}.means(c.Property, l.Live[at.version.Index])
			if isOf && c.Mode == config.None && slices.Contains(l.Place.Names(at.version.Index), c.Type) {
				return s.fault(fmt.Sprintf("%s is moved, and %s.%s takes no part in conversions", n.Operation.From, c.Type, c.Property),
					"with `conversion: none` a property matches nothing: remove one of the two")
			}
		}
	}
	return nil
}

// walk returns an error of a path that an object does not have.
func (s subject) walk(at spot, path string) *diag.Message {
	names := strings.Split(path, ".")
	p, what := at.place, s.typ
	for i, name := range names {
		l := p.Walk(at.version.Index, name)
		if named := (spot{p, at.version}).named(name); l == nil && len(named) > 1 {
			return s.ambiguous(fmt.Sprintf("%s of %s", what, at.version.Model.Name), name, named)
		}
		if l == nil {
			var known []string
			for _, q := range p.Members(at.version.Index) {
				if q.Name != chain.AdditionalName {
					known = append(known, q.Name)
				}
			}
			where := ""
			if len(names) > 1 {
				where = path + ": "
			}
			return s.missing(fmt.Sprintf("%s%s of %s has no property %q", where, what, at.version.Model.Name, name), name, known, "properties")
		}
		if i == len(names)-1 {
			return nil
		}
		if p.Walk(at.version.Index, name+"."+names[i+1]) == nil {
			child := l[0].Child(at.version.Index)
			wrap, _ := chain.Unwrap(l[0].Live[at.version.Index].Type)
			if child == nil || wrap != "" || child.Defs[at.version.Index].Map != nil {
				return s.fault(fmt.Sprintf("%s: %s of %s is not an object", path, strings.Join(names[:i+1], "."), at.version.Model.Name),
					"paths lead through objects only: begin at the objects in a list or map")
			}
		}
		p = l[0].Child(at.version.Index)
		what = p.Defs[at.version.Index].Name
	}
	return nil
}
