package openapi

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
)

// conjunction returns the type of parts that hold together. It omits parts that add nothing.
func conjunction(parts []part) model.Type {
	var types []model.Type
	var empty model.Type
	for _, p := range parts {
		switch {
		case p.typ == nil:
		case isEmpty(p.typ):
			empty = p.typ
		default:
			types = append(types, p.typ)
		}
	}
	switch len(types) {
	case 0:
		return empty
	case 1:
		return types[0]
	}
	return &model.AllOf{Parts: types}
}

// isEmpty reports whether a type adds nothing to a conjunction.
func isEmpty(t model.Type) bool {
	o, ok := t.(*model.Object)
	return ok && len(o.Properties) == 0 && o.Additional == nil && len(o.Requires) == 0
}

// without removes a property from a schema's own part.
func without(parts []part, name string) []part {
	for _, p := range parts {
		if o, ok := p.typ.(*model.Object); ok {
			o.Properties = slices.DeleteFunc(o.Properties, func(q *model.Property) bool { return q.Name == name })
			o.Requires = slices.DeleteFunc(o.Requires, func(r string) bool { return r == name })
		}
	}
	return parts
}

// oneOf returns the union of types: nil for none, the type itself for one.
func oneOf(types []model.Type) model.Type {
	switch len(types) {
	case 0:
		return nil
	case 1:
		return types[0]
	}
	return &model.OneOf{Branches: types}
}
