package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// The names of types in schemas.
const (
	typeString  = "string"
	typeInteger = "integer"
	typeNumber  = "number"
	typeBoolean = "boolean"
	typeObject  = "object"
	typeArray   = "array"
	typeNull    = "null"
)

var typeNames = []string{typeString, typeInteger, typeNumber, typeBoolean, typeObject, typeArray, typeNull}

var scalarKinds = map[string]model.Kind{typeString: model.String, typeInteger: model.Int, typeNumber: model.Number, typeBoolean: model.Bool}

// own compiles the keywords of a schema that do not combine others.
func (c *compiler) own(at location, v view, name string, r role) part {
	names, ok := c.types(at.member("type"))
	if !ok {
		return part{}
	}
	if t, found := c.values(at, names); found {
		return part{typ: t, null: t == nil}
	}
	if len(names) == 1 && names[0] == typeNull {
		return part{null: true}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == typeNull })
	if len(names) == 0 {
		names = infer(at, r)
	}
	out := part{}
	var types []model.Type
	for _, word := range names {
		p := c.kind(at, word, v, name, r)
		out.secret = out.secret || p.secret
		if p.typ != nil {
			types = append(types, p.typ)
		}
	}
	c.unused(at, names)
	out.typ = oneOf(types)
	return out
}

// kind compiles a schema as one type.
func (c *compiler) kind(at location, word string, v view, name string, r role) part {
	switch word {
	case typeObject:
		return c.members(at, v, name, r)
	case typeArray:
		elem := c.elements(at, v, name)
		return part{typ: &model.List{Elem: elem.solid(), Limits: limitsOf(at, word), Facts: c.keys(at)}, secret: elem.secret}
	}
	return part{typ: &model.Scalar{Kind: scalarKinds[word], Limits: limitsOf(at, word)}}
}

// types reads the keyword type. It returns false after an error.
func (c *compiler) types(at location) ([]string, bool) {
	var words []location
	switch at.value.Kind() {
	case syntax.String:
		words = []location{at}
	case syntax.List:
		for _, v := range at.value.All() {
			words = append(words, at.at(v))
		}
	}
	var names []string
	for _, w := range words {
		name := w.value.Text()
		if !slices.Contains(typeNames, name) {
			c.fail(w.errorf("type %s is not known", w.value.JSON()).WithHint("%s", typeHint(name)))
			return nil, false
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, true
}

func typeHint(name string) string {
	if near := diag.Nearest(name, typeNames); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "the types are " + strings.Join(typeNames, ", ")
}

// speaks are keywords that determine the type of a schema without the keyword type.
var speaks = []struct {
	typ   string
	words []string
}{
	{typeObject, []string{"properties", "additionalProperties", "required"}},
	{typeArray, []string{"items", "minItems", "maxItems", "uniqueItems"}},
	{typeString, []string{"pattern", "minLength", "maxLength"}},
	{typeNumber, []string{"minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"}},
}

// infer returns the types that a schema without the keyword type implies by its other keywords.
func infer(at location, r role) []string {
	for _, s := range speaks {
		if slices.ContainsFunc(s.words, func(word string) bool { return at.member(word).exists() }) {
			return []string{s.typ}
		}
	}
	if r == root {
		return []string{typeObject}
	}
	return nil
}

// unused adds notes for keywords that have no meaning for the schema's types.
func (c *compiler) unused(at location, types []string) {
	for _, s := range speaks {
		fits := slices.Contains(types, s.typ) || s.typ == typeNumber && slices.Contains(types, typeInteger)
		for _, word := range s.words {
			if m := at.member(word); m.exists() && !fits {
				c.note(m, word, "the keyword %s has no meaning here and is ignored", word)
			}
		}
	}
}

// elements returns the type of a list's elements.
func (c *compiler) elements(at location, v view, name string) part {
	items := at.member("items")
	if !items.exists() {
		return part{}
	}
	return c.schema(items, v, name+"_item", standing)
}

// listKeys is the fact that names the members that identify the elements of a list.
const listKeys = "x-kubernetes-list-map-keys"

// keys returns the members that identify the elements of a list, from x-ms-identifiers: names, or
// paths. The model can represent only paths of one name.
func (c *compiler) keys(at location) model.Facts {
	list := at.member("x-ms-identifiers")
	var names []string
	for _, v := range list.value.All() {
		name := strings.TrimPrefix(v.Text(), "/")
		if name == "" || strings.Contains(name, "/") {
			c.note(list, "identifiers", "the identifier %s, which is nested in elements, is ignored", v.JSON())
			return nil
		}
		names = append(names, syntax.Quote(name))
	}
	if len(names) == 0 {
		return nil
	}
	return model.Facts{{Name: listKeys, Value: "[" + strings.Join(names, ",") + "]"}}
}

// limitsOf returns the limits of a schema for values of a type; nil if there are none.
func limitsOf(at location, typ string) *model.Limits {
	l := model.Limits{}
	switch typ {
	case typeString:
		l.Pattern, l.Format = at.member("pattern").value.Text(), at.member("format").value.Text()
		l.MinLength, l.MaxLength = at.member("minLength").value.Number(), at.member("maxLength").value.Number()
	case typeInteger, typeNumber:
		l.Format, l.MultipleOf = at.member("format").value.Text(), at.member("multipleOf").value.Number()
		l.Minimum, l.ExclusiveMin = bound(at, "minimum", "exclusiveMinimum")
		l.Maximum, l.ExclusiveMax = bound(at, "maximum", "exclusiveMaximum")
	case typeArray:
		l.MinItems, l.MaxItems = at.member("minItems").value.Number(), at.member("maxItems").value.Number()
		l.Unique = at.member("uniqueItems").value.IsTrue()
	}
	if l == (model.Limits{}) {
		return nil
	}
	return &l
}

// bound reads both forms of an exclusive bound: a boolean beside the plain bound, or a bound of its
// own.
func bound(at location, plain, exclusive string) (limit string, isExclusive bool) {
	if own := at.member(exclusive).value; own.Kind() == syntax.Number {
		return own.Number(), true
	}
	limit = at.member(plain).value.Number()
	return limit, limit != "" && at.member(exclusive).value.IsTrue()
}
