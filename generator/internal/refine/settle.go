package refine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// FreeJSON is the choice that keeps a property verbatim on which declarations disagree.
const FreeJSON = "any"

// Settled is a property of a resource version on whose type declarations disagree. Choices are the
// types that they give it, in the words of the notation, and [FreeJSON].
type Settled struct {
	Type, Version, Path string
	Choices             []string
}

// settle gives the type that the run has chosen for a property whose declarations clash; nil where it has
// chosen none, or free JSON.
func (b *body) settle(t model.Type, path string, pos model.Pos) model.Type {
	if b.unit.choose == nil {
		return nil
	}
	want := b.unit.choose(b.unit.resource.Type, b.version().Name, path)
	if want == "" {
		return nil
	}
	of := b.choices(t)
	b.settled = append(b.settled, Settled{b.unit.resource.Type, b.version().Name, path, of})
	switch {
	case want == FreeJSON:
		return nil
	case !slices.Contains(of, want):
		b.problem(pos, fmt.Sprintf("%s: no declaration is %s, which is chosen", path, want), "choose one of these: "+strings.Join(of, ", "))
		return nil
	}
	return b.kept(t, want, map[*model.Def]model.Type{})
}

// choices are what the declarations of a type are that clash, in order, and free JSON.
func (b *body) choices(t model.Type) []string {
	var out []string
	for _, declared := range b.clashes(t, map[*model.Def]bool{}) {
		for _, branch := range declared.Branches {
			if s := b.shapeOf(branch); s.form != formClash && s.form != formAny && s.form != formNone {
				out = union(out, []string{s.name()})
			}
		}
	}
	return union(out, []string{FreeJSON})
}

// clashes are the declarations of one thing within a type, unions and aliases around them aside, that
// cannot be merged. Each definition is looked into once.
func (b *body) clashes(t model.Type, seen map[*model.Def]bool) []*model.OneOf {
	if t == nil || b.shapeOf(t).form != formClash {
		return nil
	}
	var out []*model.OneOf
	switch t := t.(type) {
	case *model.Ref:
		if seen[t.Def] {
			return nil
		}
		seen[t.Def] = true
		return b.clashes(t.Def.Type, seen)
	case *model.AllOf:
		for _, p := range t.Parts {
			out = append(out, b.clashes(p, seen)...)
		}
	case *model.OneOf:
		if b.mode(t) == same {
			return []*model.OneOf{t}
		}
		for _, p := range t.Branches {
			out = append(out, b.clashes(p, seen)...)
		}
	}
	return out
}

// kept is a type without the declarations that clash and are not of the chosen type.
func (b *body) kept(t model.Type, want string, known map[*model.Def]model.Type) model.Type {
	if b.shapeOf(t).form != formClash {
		return t
	}
	switch t := t.(type) {
	case *model.Ref:
		if _, ok := known[t.Def]; !ok {
			known[t.Def] = t // while it is looked into, and for good if it leads back to itself
			known[t.Def] = b.kept(t.Def.Type, want, known)
		}
		return known[t.Def]
	case *model.AllOf:
		return &model.AllOf{Parts: b.keptOf(t.Parts, want, known)}
	case *model.OneOf:
		if b.mode(t) != same {
			return &model.OneOf{Branches: b.keptOf(t.Branches, want, known)}
		}
		var out model.Type
		for _, branch := range t.Branches {
			if b.shapeOf(branch).name() == want {
				out = b.join(out, branch, same)
			}
		}
		return out
	}
	return t
}

func (b *body) keptOf(types []model.Type, want string, known map[*model.Def]model.Type) []model.Type {
	var out []model.Type
	for _, t := range types {
		if k := b.kept(t, want, known); k != nil {
			out = append(out, k)
		}
	}
	return out
}
