package removals

import (
	"fmt"
	"slices"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

// withLater returns the objects for which there is a version that a declared change leads to: the
// next one or, if the change names another one, a preview before that.
func (s subject) withLater(all []spot, n config.Change) ([]spot, *diag.Message) {
	if n.In == "" {
		with, fault := s.withNext(all)
		if fault != nil {
			fault.Hint = s.previewHint(all, n, fault.Hint)
		}
		return with, fault
	}
	if versions := modelVersionsOf(all[0].place.Resource.Group); !slices.Contains(versions, n.In) {
		return nil, s.missing(fmt.Sprintf("%s has no version %q", s.group, n.In), n.In, versions, "versions")
	}
	with := slices.DeleteFunc(slices.Clone(all), func(o spot) bool { return o.later(n.In) == nil })
	switch {
	case len(with) > 0:
		return with, nil
	case chain.Compare(n.In, s.version) <= 0:
		return nil, s.fault(fmt.Sprintf("%s does not come after %s", n.In, s.version), "the entry stands with the version that has the earlier values, and names a later one")
	case all[0].version.Leaf:
		return nil, s.fault(fmt.Sprintf("a change of %s, a preview, cannot lead to %s", s.version, n.In), "it leads to the next version of the main line: remove changedIn")
	}
	return nil, s.fault(fmt.Sprintf("a change of %s cannot lead to %s", s.version, n.In), "name the next version of the main line, or a preview before it; declare the change with the last version that has the earlier values")
}

// previewHint returns a hint that names the first preview after a version, if the change fits it.
func (s subject) previewHint(all []spot, n config.Change, otherwise string) string {
	for _, o := range all {
		for _, v := range o.place.Resource.Versions[o.version.Index+1:] {
			switch l := o.find(s.property); {
			case !v.Leaf:
			case l == nil || l.Live[v.Index] == nil:
				otherwise = fmt.Sprintf("if %s, a preview, has the later values, name it: `%s: %s`, or `renamedTo` for a new name", v.Model.Name, config.ChangedIn, plaintext.YAML(v.Model.Name))
			case n.Operation.Fits(l.Live[o.version.Index].Type, l.Live[v.Index].Type) == nil:
				return fmt.Sprintf("if %s has the later values, name it: `%s: {%s, %s: %s}`", v.Model.Name, NameOf(n.Property), n.Operation, config.ChangedIn, plaintext.YAML(v.Model.Name))
			}
		}
	}
	return otherwise
}

// later returns the version that a change leads to first: the next version of the main line, or a
// leaf before that which the change names. It returns nil if there is none.
func (o spot) later(in string) *chain.Version {
	next := o.next()
	if in == "" || next != nil && next.Model.Name == in {
		return next
	}
	for _, v := range o.place.Resource.Versions[o.version.Index+1:] {
		if v == next || o.version.Leaf {
			return nil
		}
		if chain.Compare(v.Model.Name, in) >= 0 {
			return v
		}
	}
	return nil
}

// change returns an error of a declared change: the later version must have the property, with a
// type that the change leads to.
func (s subject) change(all []spot, n config.Change) *diag.Message {
	o := n.Operation
	all, fault := s.withLater(all, n)
	if fault != nil {
		return fault
	}
	var gone []spot
	for _, at := range all {
		l, next := at.find(s.property), at.later(n.In)
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
	next := all[0].later(n.In)
	if next.Leaf {
		return s.fault(fmt.Sprintf("%s of %s has no %s", s.typ, next.Model.Name, s.property),
			fmt.Sprintf("`renamedTo: {version: %s, name: ...}` has its name there", plaintext.YAML(next.Model.Name)))
	}
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
	if other := at.place.Change(before.Index, property); other != nil && !other.Operation.Is(o) {
		return s.fault(fmt.Sprintf("%s is declared as `%s`, and in %s as `%s`", s.property, o, before.Model.Name, other.Operation),
			"a preview between two versions declares what the version before it does, or nothing if it has the later value")
	}
	return nil
}
