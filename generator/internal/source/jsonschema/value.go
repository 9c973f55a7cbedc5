package jsonschema

import (
	"slices"
	"strconv"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// values compiles enum and const to an enum of one kind, or a union of enums. Both results are
// empty if the values do not determine the type: there are none, or the dialect ignores them. null
// reports that null is the only value.
func (c *Compiler) values(s *schema, types []string) (t model.Type, null bool) {
	all := c.allowed(s)
	if len(all) == 0 {
		return nil, false
	}
	enums, fit := enums{fraction: slices.ContainsFunc(all, isFraction)}, true
	for _, v := range all {
		switch {
		case v.Kind() == syntax.Null:
			null = true
		case v.Kind() >= syntax.List:
			return c.dialect.Mismatch(v, types), false
		case !enums.add(v, types):
			t, fit = c.dialect.Mismatch(v, types), false
		}
	}
	if !fit {
		return t, false
	}
	if t = enums.typ(); t != nil {
		c.checkUse(s, nil)
		c.dialect.Type(s.Location, t)
		return t, false
	}
	return nil, null
}

// allowed returns the values of a schema. const is narrower than enum.
func (c *Compiler) allowed(s *schema) []document.Location {
	if s.constant.Exists() {
		return []document.Location{s.constant}
	}
	if !c.isList(s.enum, "values") {
		return nil
	}
	all := slices.Collect(s.enum.All())
	if len(all) == 0 {
		c.notes.Add(s.enum, "enum", "an enum without values is ignored")
	}
	return all
}

// enums groups values by kind, in order of appearance. If one number is a fraction, all are of kind
// number.
type enums struct {
	fraction bool
	kinds    []model.Kind
	values   [model.Bool + 1][]string
	seen     map[string]bool
}

// add adds a scalar value. It returns false if types are named and none of them has the value.
func (e *enums) add(v document.Location, types []string) bool {
	kind, ok := e.kind(v, types)
	if !ok {
		return false
	}
	text := v.Constant()
	if e.seen[text] {
		return true
	}
	if e.seen == nil {
		e.seen = map[string]bool{}
	}
	e.seen[text] = true
	if len(e.values[kind]) == 0 {
		e.kinds = append(e.kinds, kind)
	}
	e.values[kind] = append(e.values[kind], text)
	return true
}

// typ returns the type; nil if there are no values.
func (e *enums) typ() model.Type {
	var types []model.Type
	for _, kind := range e.kinds {
		types = append(types, &model.Enum{Base: kind, Values: e.values[kind]})
	}
	return Union(types)
}

// kind returns the kind of a value among the types that a schema names, if it names any. A whole
// number may also be of type number.
func (e *enums) kind(v document.Location, types []string) (model.Kind, bool) {
	named := func(typ string) bool {
		return len(types) == 0 || slices.Contains(types, typ) || slices.Contains(types, TypeAny)
	}
	switch v.Kind() {
	case syntax.String:
		return model.String, named(TypeString)
	case syntax.Bool:
		return model.Bool, named(TypeBoolean)
	default:
		if !e.fraction && named(TypeInteger) {
			return model.Int, true
		}
		return model.Number, named(TypeNumber)
	}
}

// isFraction reports whether a value is a number that is not whole, or exceeds 64 bits.
func isFraction(v document.Location) bool {
	if v.Kind() != syntax.Number {
		return false
	}
	_, err := strconv.ParseInt(v.Number(), 10, 64)
	return err != nil
}
