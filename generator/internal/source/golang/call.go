package golang

import (
	"go/types"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
	"github.com/stratakube/strata/generator/internal/source"
)

// derived describes what functions do for a property of a definition since the shaper's version.
type derived struct {
	def      *model.Def
	property string
	function source.Function
	name     string   // the present name of the property
	history  *history // of the property, nil for none
}

// functions records the functions of a field that take effect in the shaper's version.
func (s *shaper) functions(d *model.Def, p *model.Property, name string, h *history, t types.Type) {
	if s.begins() {
		return // there is nothing to convert from
	}
	add := func(f source.Function) { s.derived = append(s.derived, derived{d, p.Name, f, name, h}) }
	if values := s.values(t); values != nil {
		add(source.Function{Values: values})
	}
	if h == nil {
		return
	}
	for _, c := range h.changes {
		if c.since.index != s.version || c.fromType == nil || len(c.declared) > 0 {
			continue
		}
		to := h.typeSince(c.since)
		if c.up != nil || c.down != nil || isWhole(c.fromType) && isNumber(to) {
			add(source.Function{Up: s.callOr(c.up, c.fromType, to), Down: s.callOr(c.down, to, c.fromType)})
		}
	}
	for _, a := range h.added {
		switch {
		case a.since.index != s.version:
		case a.fill != nil:
			add(source.Function{Fill: s.call(a.fill)})
		case p.Required:
			s.undefined = append(s.undefined, undefined{derived{def: d, property: p.Name, name: name, history: h}, p.Type, a})
		}
	}
}

func (s *shaper) call(f *function) *source.Call {
	return &source.Call{Package: f.home.PkgPath, Name: f.name, Fails: f.fails}
}

// callOr returns the call of a function of the author, or of the runtime's function for types that
// convert without one.
func (s *shaper) callOr(f *function, from, to types.Type) *source.Call {
	switch {
	case f != nil:
		return s.call(f)
	case isWhole(from) && isNumber(to):
		return &source.Call{Name: "ToNumber", Fails: true}
	case truncates(from, to):
		return &source.Call{Name: "ToWhole[" + deref(to).Underlying().String() + "]", Fails: true}
	}
	return &source.Call{Name: "Same", Fails: true}
}

func isWhole(t types.Type) bool {
	b, ok := deref(t).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func isNumber(t types.Type) bool {
	b, ok := deref(t).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsFloat != 0
}

// values returns the values of an enum, also in lists and maps, that have other names since the
// version, as pairs; nil for none. They form a permutation, so that no value is lost: a value that
// takes the name of another gives its own away.
func (s *shaper) values(t types.Type) []string {
	n := enumIn(t)
	if n == nil {
		return nil
	}
	var from, to []string
	for _, c := range s.constants(n) {
		for _, change := range c.changes {
			if change.since.index == s.version && change.fromName != "" {
				from, to = append(from, change.fromName), append(to, c.wireAt(s.version))
			}
		}
	}
	return operation.Permutation(from, to)
}

// enumIn returns the declared string type at the end of lists, maps and pointers; nil for other
// types.
func enumIn(t types.Type) *types.Named {
	t = types.Unalias(t)
	if n, ok := t.(*types.Named); ok {
		if b, ok := n.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			return n
		}
	}
	switch u := t.(type) {
	case *types.Pointer:
		return enumIn(u.Elem())
	case *types.Slice:
		return enumIn(u.Elem())
	case *types.Map:
		return enumIn(u.Elem())
	}
	return nil
}
