package gosrc

import (
	"cmp"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	crd "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/stratakube/strata/generator/internal/model"
)

// enum is a declared type of strings that takes some values only, as the version has them; nil
// for other types. A type is one if a marker says so, or if a constant of it has a history.
func (s *shaper) enum(n *types.Named, said marks) model.Type {
	basic, ok := n.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsString == 0 {
		return nil
	}
	constants := s.constants(n)
	listed, _ := all[crd.Enum](said)
	versioned := slices.ContainsFunc(constants, func(c *history) bool { return c.hasHistory() })
	if !versioned && (len(listed) > 0 || !said.has("enum")) {
		return nil // constrained as any scalar
	}
	out := &model.Enum{Base: model.String}
	for _, c := range constants {
		if c.present(s.version) && (len(listed) == 0 || isListed(listed[0], c.wire)) {
			out.Values = append(out.Values, jsonText(c.wireAt(s.version)))
		}
	}
	return out
}

func isListed(values crd.Enum, value string) bool { return slices.Contains(values, any(value)) }

// constants are those of a type in its package, in the order of their places.
func (s *shaper) constants(n *types.Named) []*history {
	var out []*history
	p := n.Obj().Pkg()
	if p == nil {
		return nil
	}
	for _, name := range p.Scope().Names() {
		c, ok := p.Scope().Lookup(name).(*types.Const)
		if !ok || !types.Identical(c.Type(), n) {
			continue
		}
		h := s.history(c.Pos())
		if h == nil {
			h = &history{name: name, wire: constant.StringVal(c.Val()), pos: c.Pos()}
		}
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b *history) int { // positions of two files have no order
		x, y := s.fset.Position(a.pos), s.fset.Position(b.pos)
		return cmp.Or(strings.Compare(x.Filename, y.Filename), cmp.Compare(x.Offset, y.Offset))
	})
	return out
}
