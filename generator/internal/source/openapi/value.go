package openapi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// values compiles the constants of a schema, if there are any. The type is nil if null is the only
// one.
func (c *compiler) values(at location, names []string) (model.Type, bool) {
	all := at.member("enum").value.All()
	if constant := at.member("const"); constant.exists() {
		all = []*syntax.Value{constant.value}
	}
	if len(all) == 0 {
		if enum := at.member("enum"); enum.value.Kind() == syntax.List {
			c.note(enum, "enum", "an enum without values is ignored")
		}
		return nil, false
	}
	e := enums{open: at.member("x-ms-enum").value.Member("modelAsString").IsTrue(), isNumber: slices.Contains(names, typeNumber) || slices.ContainsFunc(all, isFraction), known: map[string]bool{}}
	for _, v := range all {
		switch v.Kind() {
		case syntax.Null:
		case syntax.List, syntax.Object:
			c.note(at, "enum of structures", "constants that are lists or objects are free JSON")
			return &model.Any{}, true
		default:
			if len(names) > 0 && !e.fits(v, names) {
				c.fail(at.at(v).errorf("the value %s is not of type %s", v.JSON(), strings.Join(names, " or ")))
			}
			e.add(v)
		}
	}
	return e.typ(), true
}

// isFraction reports whether a value is a number that is not whole, or exceeds 64 bits.
func isFraction(v *syntax.Value) bool {
	if v.Kind() != syntax.Number {
		return false
	}
	_, err := strconv.ParseInt(v.Number(), 10, 64)
	return err != nil
}

// enums groups values by kind, in order of appearance. If one number is a fraction, all are.
type enums struct {
	open, isNumber bool
	kinds          []model.Kind
	values         [model.Bool + 1][]string
	known          map[string]bool // kinds with values
}

func (e *enums) add(v *syntax.Value) {
	kind, text := e.kind(v), v.JSON()
	if !slices.Contains(e.kinds, kind) {
		e.kinds = append(e.kinds, kind)
	}
	if key := kind.String() + text; !e.known[key] {
		e.known[key] = true
		e.values[kind] = append(e.values[kind], text)
	}
}

func (e *enums) kind(v *syntax.Value) model.Kind {
	switch {
	case v.Kind() == syntax.String:
		return model.String
	case v.Kind() == syntax.Bool:
		return model.Bool
	case e.isNumber:
		return model.Number
	}
	return model.Int
}

// fits reports whether one of the types that a schema names has a value.
func (e *enums) fits(v *syntax.Value, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		kind, ok := scalarKinds[name]
		return ok && (kind == e.kind(v) || kind == model.Number && e.kind(v) == model.Int)
	})
}

// typ returns the type; nil if there are no values.
func (e *enums) typ() model.Type {
	var types []model.Type
	for _, kind := range e.kinds {
		types = append(types, &model.Enum{Base: kind, Values: e.values[kind], Open: e.open})
	}
	return oneOf(types)
}

// meanings returns the descriptions of single values in x-ms-enum, for the documentation.
func meanings(at location) string {
	var lines []string
	for _, v := range at.member("x-ms-enum").value.Member("values").All() {
		if doc := strings.TrimSpace(v.Member("description").Text()); doc != "" {
			lines = append(lines, "- "+word(v.Member("value"))+": "+doc)
		}
	}
	return strings.Join(lines, "\n")
}
