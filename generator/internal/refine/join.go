package refine

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// mode is how two types belong together.
type mode uint8

const (
	both   mode = iota // they hold at once
	either             // one of them holds
	same               // they are declarations of one thing
)

// joiner combines raw types and shapes.
type joiner struct {
	// declared are the alternatives that were made of declarations of one thing:
	// they are no unions.
	declared map[*model.OneOf]bool
	made     map[model.Type]bool // the combinations that the schema does not have itself
	shapes   map[*model.Def]shape
	enums    map[*model.Def][]string // the values of those that are enums
}

func newJoiner() joiner {
	return joiner{map[*model.OneOf]bool{}, map[model.Type]bool{}, map[*model.Def]shape{}, map[*model.Def][]string{}}
}

// join combines two raw types into one raw type. A nil type is neutral.
func (j *joiner) join(a, b model.Type, m mode) model.Type {
	switch {
	case a == nil:
		return b
	case b == nil || sameType(a, b):
		return a
	case m == both:
		out := &model.AllOf{Parts: newTypes(sections(a), sections(b)).list}
		j.made[out] = true
		return out
	}
	out := &model.OneOf{Branches: newTypes(j.branches(a, m), j.branches(b, m)).list}
	j.made[out] = true
	if m == same {
		j.declared[out] = true
	}
	return out
}

// merging has the alternatives that were made while shapes are merged to one, and that nothing else
// has yet.
type merging struct{ grown map[*model.OneOf]*types }

// begun returns the merging, a new one if it has not begun.
func (s *merging) begun() *merging {
	if s == nil {
		return &merging{map[*model.OneOf]*types{}}
	}
	return s
}

// grow is join for a type within a shape that is being merged. An alternative that this has made
// grows, so that joining many types takes time for what each adds.
func (j *joiner) grow(s *merging, a, b model.Type, m mode) model.Type {
	if one, ok := a.(*model.OneOf); ok && b != nil && s.grown[one] != nil && j.mode(one) == m {
		s.grown[one].add(j.branches(b, m)...)
		one.Branches = s.grown[one].list
		return one
	}
	out := j.join(a, b, m)
	if one, ok := out.(*model.OneOf); ok && out != a && out != b {
		s.grown[one] = newTypes(one.Branches)
	}
	return out
}

// types is a set of types, in order.
type types struct {
	list []model.Type
	like map[any][]model.Type // those that can be the same, by what they have in common
}

// newTypes is the first list, and what the others have that is not in it.
func newTypes(list []model.Type, more ...[]model.Type) *types {
	out := &types{list: slices.Clone(list), like: map[any][]model.Type{}}
	for _, t := range list {
		out.like[likeness(t)] = append(out.like[likeness(t)], t)
	}
	for _, m := range more {
		out.add(m...)
	}
	return out
}

// add adds the types that are not there.
func (s *types) add(more ...model.Type) {
	for _, t := range more {
		key := likeness(t)
		if !slices.ContainsFunc(s.like[key], func(u model.Type) bool { return sameType(t, u) }) {
			s.list = append(s.list, t)
			s.like[key] = append(s.like[key], t)
		}
	}
}

// likeness is equal for types that are the same.
func likeness(t model.Type) any {
	switch t := t.(type) {
	case *model.Ref:
		return t.Def
	case *model.Object:
		return t
	case *model.Scalar:
		return limited{t.Kind, limitsOf(t.Limits)}
	case *model.Enum:
		return strings.Join(t.Values, ",")
	case *model.Any:
		return t.Reason
	case *model.List:
		return listed{likeness(t.Elem), limitsOf(t.Limits)}
	case *model.Map:
		return likeness(t.Elem)
	case *model.OneOf:
		return likenessOf(t.Branches)
	case *model.AllOf:
		return likenessOf(t.Parts)
	}
	return nil
}

// limited is what scalars have in common that are the same, and listed what such lists have.
type (
	limited struct {
		kind   model.Kind
		limits model.Limits
	}
	listed struct {
		elem   any
		limits model.Limits
	}
)

func limitsOf(l *model.Limits) model.Limits {
	if l == nil {
		return model.Limits{}
	}
	return *l
}

func likenessOf(all []model.Type) any {
	if len(all) == 0 {
		return nil
	}
	return likeness(all[0])
}

// mode reports what an alternative is made of.
func (j *joiner) mode(t *model.OneOf) mode {
	if j.declared[t] {
		return same
	}
	return either
}

func sections(t model.Type) []model.Type {
	if all, ok := t.(*model.AllOf); ok {
		return all.Parts
	}
	return []model.Type{t}
}

// branches are those of an alternative of a mode; any other type is one branch.
func (j *joiner) branches(t model.Type, m mode) []model.Type {
	if one, ok := t.(*model.OneOf); ok && j.mode(one) == m {
		return one.Branches
	}
	return []model.Type{t}
}

// sameType reports whether two raw types are the same without looking into
// definitions and objects.
func sameType(a, b model.Type) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *model.Ref:
		b, ok := b.(*model.Ref)
		return ok && a.Def == b.Def
	case *model.Scalar:
		b, ok := b.(*model.Scalar)
		return ok && a.Kind == b.Kind && equalLimits(a.Limits, b.Limits) && a.Facts.Equal(b.Facts)
	case *model.Enum:
		b, ok := b.(*model.Enum)
		return ok && a.Base == b.Base && a.Open == b.Open && slices.Equal(a.Values, b.Values) && a.Facts.Equal(b.Facts)
	case *model.Any:
		b, ok := b.(*model.Any)
		return ok && a.Reason == b.Reason && a.Facts.Equal(b.Facts)
	case *model.List:
		b, ok := b.(*model.List)
		return ok && sameType(a.Elem, b.Elem) && equalLimits(a.Limits, b.Limits) && a.Facts.Equal(b.Facts)
	case *model.Map:
		b, ok := b.(*model.Map)
		return ok && sameType(a.Elem, b.Elem) && a.Facts.Equal(b.Facts)
	case *model.OneOf:
		b, ok := b.(*model.OneOf)
		return ok && slices.EqualFunc(a.Branches, b.Branches, sameType)
	case *model.AllOf:
		b, ok := b.(*model.AllOf)
		return ok && slices.EqualFunc(a.Parts, b.Parts, sameType)
	}
	return false
}

func equalLimits(a, b *model.Limits) bool {
	return a == b || a != nil && b != nil && *a == *b
}
