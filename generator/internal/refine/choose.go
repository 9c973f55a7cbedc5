package refine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// FreeJSON is the choice that stores a property verbatim if declarations disagree on it.
const FreeJSON = "any"

// Chosen is a property of a resource version whose type the user has chosen, because declarations
// of it or branches of a union cannot be merged. Choices are the types that these give it, in the
// words of the notation, and [FreeJSON].
type Chosen struct {
	Type, Version, Path string
	Choices             []string
}

// choose returns the type that the user has chosen for a property that cannot be merged; nil for
// no choice or for free JSON.
func (b *body) choose(t model.Type, path string, pos model.Pos) model.Type {
	if b.unit.choose == nil {
		return nil
	}
	want := b.unit.choose(b.unit.resource.Type, b.version().Name, path)
	if want == "" {
		return nil
	}
	of := b.choices(t)
	b.decided = append(b.decided, Chosen{b.unit.resource.Type, b.version().Name, path, of})
	switch {
	case want == FreeJSON:
		return nil
	case !slices.Contains(of, want):
		b.problem(pos, fmt.Sprintf("%s: neither a declaration nor a branch is %s, which is chosen", path, want), "choose one of these: "+strings.Join(of, ", "))
		return nil
	}
	return b.withoutClash(t, want, map[*model.Def]model.Type{})
}

// choicesAt returns the choices for the type at a path that cannot be merged.
func (b *body) choicesAt(path string) []string {
	t := b.disagree[path]
	key := b.key(t)
	if _, known := b.offered[key]; !known {
		b.offered[key] = b.choices(t)
	}
	return b.offered[key]
}

// differing records a note if declarations of a native resource have different requirements for
// one type. The refined type has only the requirements on which they agree.
func (b *body) differing(t model.Type, path string, pos model.Pos) {
	one, ok := t.(*model.OneOf)
	if !ok || b.mode(one) != same || !b.unit.resource.IsNative() {
		return
	}
	first := b.shapeOf(one.Branches[0])
	for _, branch := range one.Branches[1:] {
		s := b.shapeOf(branch)
		if s.form != first.form || s.form == formClash || s.kind != first.kind {
			return
		}
		if !s.facts.Equal(first.facts) || !equalLimits(s.limits, first.limits) || (s.values == nil) != (first.values == nil) {
			n := b.about(pos, inWords(path)+": the declarations require different things of it, and only what they agree on counts", "exclude one of the files, if that is not meant")
			b.notes = append(b.notes, n)
			return
		}
	}
}

// choices returns the names of a type's alternatives that clash, in order, and free JSON.
func (b *body) choices(t model.Type) []string {
	var out names
	for _, alternatives := range b.clashes(t, map[*model.Def]bool{}) {
		for _, a := range alternatives {
			if s := b.shapeOf(a); s.form != formClash && s.form != formAny && s.form != formNone {
				out.add(s.name())
			}
		}
	}
	out.add(FreeJSON)
	return out.all()
}

// clashes returns the alternatives within a type that cannot be merged. These are declarations of
// one type, or else the branches of a union or the parts of a conjunction none of which clashes
// by itself. It visits each definition once.
func (b *body) clashes(t model.Type, seen map[*model.Def]bool) [][]model.Type {
	if t == nil || b.shapeOf(t).form != formClash {
		return nil
	}
	switch t := t.(type) {
	case *model.Ref:
		if seen[t.Def] {
			return nil
		}
		seen[t.Def] = true
		return b.clashes(t.Def.Type, seen)
	case *model.AllOf:
		return b.clashesOf(t.Parts, seen)
	case *model.OneOf:
		if b.mode(t) == same {
			return [][]model.Type{t.Branches}
		}
		return b.clashesOf(t.Branches, seen)
	}
	return nil
}

// clashesOf returns the alternatives that clash within the parts of a type, or the parts
// themselves if there are none.
func (b *body) clashesOf(parts []model.Type, seen map[*model.Def]bool) [][]model.Type {
	var out [][]model.Type
	for _, p := range parts {
		out = append(out, b.clashes(p, seen)...)
	}
	if out == nil {
		return [][]model.Type{parts}
	}
	return out
}

// withoutClash returns a type without the alternatives that clash and are not of the chosen type;
// nil if no alternative remains.
func (b *body) withoutClash(t model.Type, want string, known map[*model.Def]model.Type) model.Type {
	if b.shapeOf(t).form != formClash {
		return t
	}
	switch t := t.(type) {
	case *model.Ref:
		if _, ok := known[t.Def]; !ok {
			known[t.Def] = nil // while it is visited: a reference back to it contributes nothing
			known[t.Def] = b.withoutClash(t.Def.Type, want, known)
		}
		return known[t.Def]
	case *model.AllOf:
		if parts := b.allWithoutClash(t.Parts, want, known); parts != nil {
			return &model.AllOf{Parts: parts}
		}
	case *model.OneOf:
		if b.mode(t) == same {
			return b.chosen(t, want)
		}
		if branches := b.allWithoutClash(t.Branches, want, known); branches != nil {
			return &model.OneOf{Branches: branches}
		}
	}
	return nil
}

// chosen joins the declarations of the chosen type.
func (b *body) chosen(t *model.OneOf, want string) model.Type {
	var out model.Type
	for _, branch := range t.Branches {
		if b.shapeOf(branch).name() == want {
			out = b.join(out, branch, same)
		}
	}
	return out
}

// allWithoutClash returns the parts of a type without the alternatives that clash. If the rest
// still clashes, it returns only the parts of the chosen type.
func (b *body) allWithoutClash(types []model.Type, want string, known map[*model.Def]model.Type) []model.Type {
	var out, chosen []model.Type
	for _, t := range types {
		k := b.withoutClash(t, want, known)
		if k == nil {
			continue
		}
		out = append(out, k)
		if b.shapeOf(k).name() == want {
			chosen = append(chosen, k)
		}
	}
	if b.conjunction(out).form == formClash {
		return chosen
	}
	return out
}
