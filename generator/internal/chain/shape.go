package chain

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// shapes numbers the shapes of types: two types with the same number read and write the same JSON
// in storage. Names of types, docs, limits and required members are not part of a shape. Enums
// count as their base type, and recursive types are compared as if they were unrolled.
type shapes struct {
	classes map[*model.Def]int
	texts   map[string]int
}

// newShapes numbers the shapes of all objects of a resource. It first compares their own members.
// Then it separates objects whose members are objects of different numbers, until nothing
// changes.
func newShapes(ctx context.Context, versions []*Version) *shapes {
	s := &shapes{classes: map[*model.Def]int{}, texts: map[string]int{}}
	var defs []*model.Def
	var inner [][]*model.Def
	for _, v := range versions {
		for _, d := range model.Closure(v.Model.Spec, v.Model.Status) {
			text, refs := outline(d.Object())
			s.classes[d] = s.number(text)
			defs, inner = append(defs, d), append(inner, refs)
		}
	}
	for before := 0; before != len(s.texts) && ctx.Err() == nil; {
		before = len(s.texts)
		s.split(defs, inner)
	}
	s.texts = map[string]int{}
	return s
}

// split numbers objects again, by their numbers and those of the objects in them.
func (s *shapes) split(defs []*model.Def, inner [][]*model.Def) {
	s.texts = map[string]int{}
	next := make([]int, len(defs))
	for i, d := range defs {
		key := strconv.AppendInt(nil, int64(s.classes[d]), 36)
		for _, r := range inner[i] {
			key = append(key, ' ')
			key = strconv.AppendInt(key, int64(s.classes[r]), 36)
		}
		next[i] = s.number(string(key))
	}
	for i, d := range defs {
		s.classes[d] = next[i]
	}
}

func (s *shapes) number(text string) int {
	n, ok := s.texts[text]
	if !ok {
		n = len(s.texts) + 1
		s.texts[text] = n
	}
	return n
}

// outline formats an object's members, sorted by name, and lists the objects in them.
func outline(o *model.Object) (text string, inner []*model.Def) {
	all := slices.Clone(members(o))
	slices.SortFunc(all, func(a, b *model.Property) int { return strings.Compare(a.Name, b.Name) })
	var b []byte
	for _, p := range all {
		wrap, t := Unwrap(p.Type)
		b = model.AppendQuote(b, p.Name)
		b = append(b, ':')
		b = append(b, wrap...)
		b = append(b, model.ScalarText(t)...)
		if ref, ok := t.(*model.Ref); ok {
			inner = append(inner, ref.Def)
		}
	}
	return string(b), inner
}

// of returns the number of a type's shape.
func (s *shapes) of(t model.Type) int {
	wrap, inner := Unwrap(t)
	if ref, ok := inner.(*model.Ref); ok {
		return s.number(wrap + "&" + strconv.Itoa(s.classes[ref.Def]))
	}
	return s.number(wrap + " " + model.ScalarText(inner))
}
