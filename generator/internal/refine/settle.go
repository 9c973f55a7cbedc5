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

// settle gives the type that the run has chosen for a property on which declarations disagree; nil
// where they do not, or no declared type is chosen.
func (b *body) settle(t model.Type, path string, pos model.Pos) model.Type {
	declared, ok := t.(*model.OneOf)
	if !ok || b.mode(declared) != same || b.unit.choose == nil {
		return nil
	}
	want := b.unit.choose(b.unit.resource.Type, b.version().Name, path)
	if want == "" {
		return nil
	}
	of := b.choices(declared)
	b.settled = append(b.settled, Settled{b.unit.resource.Type, b.version().Name, path, of})
	switch {
	case want == FreeJSON:
		return nil
	case !slices.Contains(of, want):
		b.problem(pos, fmt.Sprintf("%s: no declaration is %s, which is chosen", path, want), "choose one of these: "+strings.Join(of, ", "))
		return nil
	}
	return b.kept(declared, want)
}

// choices are what the declarations of a property are, in order, and free JSON.
func (b *body) choices(declared *model.OneOf) []string {
	var out []string
	for _, t := range declared.Branches {
		if s := b.shapeOf(t); s.form != formClash && s.form != formAny && s.form != formNone {
			out = union(out, []string{s.name()})
		}
	}
	return union(out, []string{FreeJSON})
}

// kept joins the declarations that are of the chosen type.
func (b *body) kept(declared *model.OneOf, want string) model.Type {
	var out model.Type
	for _, t := range declared.Branches {
		if b.shapeOf(t).name() == want {
			out = b.join(out, t, same)
		}
	}
	return out
}
