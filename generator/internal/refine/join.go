package refine

import (
	"slices"

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
		out := &model.AllOf{Parts: appendNew(parts(a), parts(b))}
		j.made[out] = true
		return out
	}
	out := &model.OneOf{Branches: appendNew(j.branches(a, m), j.branches(b, m))}
	j.made[out] = true
	if m == same {
		j.declared[out] = true
	}
	return out
}

// appendNew appends to a list what more has that it has not, in order.
func appendNew(list, more []model.Type) []model.Type {
	out := slices.Clone(list)
	for _, t := range more {
		if !slices.ContainsFunc(out, func(u model.Type) bool { return sameType(t, u) }) {
			out = append(out, t)
		}
	}
	return out
}

// mode tells what an alternative is made of.
func (j *joiner) mode(t *model.OneOf) mode {
	if j.declared[t] {
		return same
	}
	return either
}

func parts(t model.Type) []model.Type {
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

// sameType tells whether two raw types are the same without looking into
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
