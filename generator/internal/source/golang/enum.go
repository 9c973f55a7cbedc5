package golang

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	crd "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/stratakube/strata/generator/internal/model"
)

// enum returns a declared string type that has only some values, as in the version; nil for other
// types. A type is an enum if a marker says so, or if a constant of it has a history.
func (s *shaper) enum(n *types.Named, given markerUses) model.Type {
	basic, ok := n.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsString == 0 {
		return nil
	}
	constants := s.constants(n)
	listed, _ := all[crd.Enum](given)
	versioned := slices.ContainsFunc(constants, func(c *history) bool { return c.hasHistory() })
	if !versioned && (len(listed) > 0 || !given.has("enum")) {
		return nil // constrained as any scalar
	}
	out := &model.Enum{Base: model.String}
	isListed := map[any]bool{}
	for _, values := range listed[:min(1, len(listed))] {
		isListed = setOf(values)
	}
	for _, c := range constants {
		if c.present(s.version) && (len(listed) == 0 || isListed[c.wire]) {
			out.Values = append(out.Values, jsonText(c.wireAt(s.version)))
		}
	}
	out.Deprecate(s.deprecatedValues(n))
	return out
}

// deprecatedValues returns the notes of the deprecated values of an enum in the version.
func (s *shaper) deprecatedValues(n *types.Named) map[string]string {
	out := map[string]string{}
	for _, c := range s.constants(n) {
		if note, deprecated := c.deprecatedAt(s.version); deprecated && c.present(s.version) {
			out[jsonText(c.wireAt(s.version))] = orElse(note, leaves)
		}
	}
	return out
}

// setOf returns the comparable values of a marker.
func setOf(values crd.Enum) map[any]bool {
	out := map[any]bool{}
	for _, v := range values {
		if text, ok := v.(string); ok {
			out[text] = true
		}
	}
	return out
}

// constants returns the constants of a type in its package, in the order of their positions.
func (s *shaper) constants(n *types.Named) []*history {
	p := n.Obj().Pkg()
	if p == nil {
		return nil
	}
	if s.unit.constants[p] == nil {
		s.unit.constants[p] = s.constantsIn(p)
	}
	return s.unit.constants[p][n.Obj()]
}

// constantsIn returns the constants of a package by their declared types.
func (s *shaper) constantsIn(p *types.Package) map[*types.TypeName][]*history {
	out := map[*types.TypeName][]*history{}
	for _, name := range p.Scope().Names() {
		c, ok := p.Scope().Lookup(name).(*types.Const)
		if !ok {
			continue
		}
		n, ok := types.Unalias(c.Type()).(*types.Named)
		if !ok || c.Val().Kind() != constant.String {
			continue
		}
		h := s.history(c.Pos())
		if h == nil {
			h = &history{name: name, wire: constant.StringVal(c.Val()), pos: c.Pos()}
		}
		out[n.Obj()] = append(out[n.Obj()], h)
	}
	for _, all := range out {
		positions := map[*history]token.Position{}
		for _, h := range all {
			positions[h] = s.fset.Position(h.pos)
		}
		slices.SortFunc(all, func(a, b *history) int { // positions of two files have no order
			return cmp.Or(strings.Compare(positions[a].Filename, positions[b].Filename), cmp.Compare(positions[a].Offset, positions[b].Offset))
		})
	}
	return out
}
