package removals

import (
	"fmt"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// change returns an error of a declared change: the next version must have the property, with a
// type that the change leads to.
func (s subject) change(all []spot, o operation.Operation) *diag.Message {
	all, fault := s.withNext(all)
	if fault != nil {
		return fault
	}
	var gone []spot
	for _, at := range all {
		l, next := at.find(s.property), at.next()
		later := l.Live[next.Index]
		if later == nil {
			gone = append(gone, at)
			continue
		}
		if f := o.Fits(l.Live[at.version.Index].Type, later.Type); f != nil {
			return s.fault(fmt.Sprintf("%s of %s: %s", s.property, s.typ, f.Text), f.Hint)
		}
		if fault := s.leaf(at, o); fault != nil {
			return fault
		}
	}
	if len(gone) < len(all) {
		return nil
	}
	next := all[0].next()
	var fresh []string
	for _, at := range gone {
		fresh = append(fresh, at.fresh(next)...)
	}
	text := fmt.Sprintf("%s of the next version, %s, has no %s", s.typ, next.Model.Name, s.property)
	if name := likeliest(s.property, fresh); name != "" {
		return s.fault(text, fmt.Sprintf("add `nameInNextVersion: %s`", name))
	}
	return s.fault(text, "add `nameInNextVersion`, with its name there")
}

// likeliest returns the name that resembles a property, or the only one.
func likeliest(property string, fresh []string) string {
	if len(fresh) == 1 {
		return fresh[0]
	}
	return diag.Nearest(property, fresh)
}

// leaf returns an error of a change in a leaf that contradicts the one before it on the main line:
// the leaf converts to that version.
func (s subject) leaf(at spot, o operation.Operation) *diag.Message {
	if !at.version.Leaf {
		return nil
	}
	before := at.version.Next
	var property *model.Property
	if l := at.find(s.property); before != nil {
		property = l.Live[before.Index]
	}
	if property == nil {
		return nil
	}
	if other := at.place.Change(before.Index, property); other != nil && !other.Is(o) {
		return s.fault(fmt.Sprintf("%s is declared as `%s`, and in %s as `%s`", s.property, o, before.Model.Name, *other),
			"a preview between two versions declares what the version before it does, or nothing if it has the later value")
	}
	return nil
}
