package refine

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// mode states how two types are combined.
type mode uint8

const (
	both   mode = iota // a value has both types
	either             // a value has one of them
	same               // both declare the same type
)

// joiner combines raw types and shapes.
type joiner struct {
	// declared are the alternatives that were made of declarations of one type. They are not
	// unions.
	declared map[*model.OneOf]bool
	made     map[model.Type]bool // the combinations that the schema itself does not have
	shapes   map[*model.Def]shape
	enums    map[*model.Def][]string // the values of definitions that are enums
}

func newJoiner() joiner {
	return joiner{map[*model.OneOf]bool{}, map[model.Type]bool{}, map[*model.Def]shape{}, map[*model.Def][]string{}}
}

// join combines two raw types into one raw type. If one is nil, the result is the other.
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

// merging contains the alternatives that were made while shapes are merged into one. Nothing else
// refers to them yet.
type merging struct{ grown map[*model.OneOf]*types }

// begun returns the merging, or a new one for nil.
func (s *merging) begun() *merging {
	if s == nil {
		return &merging{map[*model.OneOf]*types{}}
	}
	return s
}

// grow is join for a type within a shape that is being merged. It extends an alternative that
// this merging made, so that joining many types takes linear time.
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
	like map[any][]model.Type // those that may be equal, by their likeness
}

// newTypes returns the types of list, followed by those of more that are not among them.
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

// add adds the types that are not in the set.
func (s *types) add(more ...model.Type) {
	for _, t := range more {
		key := likeness(t)
		if !slices.ContainsFunc(s.like[key], func(u model.Type) bool { return sameType(t, u) }) {
			s.list = append(s.list, t)
			s.like[key] = append(s.like[key], t)
		}
	}
}

// likeness returns a comparable value that is equal for equal types.
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

// limited is the likeness of scalars, and listed that of lists.
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

// mode returns the mode that made an alternative.
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

// branches returns the branches of an alternative of a mode. Any other type is one branch.
func (j *joiner) branches(t model.Type, m mode) []model.Type {
	if one, ok := t.(*model.OneOf); ok && j.mode(one) == m {
		return one.Branches
	}
	return []model.Type{t}
}

// sameType reports whether two raw types are equal. It compares definitions and objects by
// identity.
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
