package arm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
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
	typeAny     = "any" // from draft 3; still used
)

var typeNames = []string{typeString, typeInteger, typeNumber, typeBoolean, typeObject, typeArray, typeNull, typeAny}

// own compiles the keywords of a schema that do not combine others.
func (c *compiler) own(s *schema, r role) part {
	p := part{at: s.location}
	names, ok := c.types(s)
	if !ok {
		return p
	}
	if s.enum.Exists() || s.constant.Exists() {
		if t, null := c.values(s, names); t != nil || null {
			p.typ, p.null = t, null
			return p
		}
	}
	if len(names) == 1 && names[0] == typeNull {
		p.null = true
		return p
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == typeNull })
	if len(names) == 0 {
		names = infer(s, r)
	}
	c.checkUse(s, names)
	p.typ = c.kinds(s, names, r)
	return p
}

// kinds compiles a schema as each of some types.
func (c *compiler) kinds(s *schema, names []string, r role) model.Type {
	var types []model.Type
	for _, name := range names {
		if t := c.kind(s, name, r); t != nil {
			types = append(types, t)
		}
	}
	return oneOf(types)
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

func (c *compiler) kind(s *schema, name string, r role) model.Type {
	switch name {
	case typeObject:
		return c.members(s, r)
	case typeArray:
		return &model.List{Elem: c.elements(s), Limits: c.limits(s, name)}
	case typeAny:
		return &model.Any{}
	}
	return &model.Scalar{Kind: scalarKinds[name], Limits: c.limits(s, name)}
}

var scalarKinds = map[string]model.Kind{
	typeString: model.String, typeInteger: model.Int, typeNumber: model.Number, typeBoolean: model.Bool,
}

// types reads the keyword type. It returns false after an error.
func (c *compiler) types(s *schema) ([]string, bool) {
	switch s.typ.Kind() {
	case jsontree.Absent:
		return nil, true
	case jsontree.String:
		return c.typeName(s.at(s.typ), nil)
	case jsontree.Array:
		return c.typeList(s.at(s.typ))
	default:
		c.fail(s.at(s.typ).errorf("type must be a name or a list of names, not %s", s.typ.Kind()))
		return nil, false
	}
}

func (c *compiler) typeList(at location) ([]string, bool) {
	if at.node.Len() == 0 {
		c.fail(at.errorf("type names no types"))
		return nil, false
	}
	var names []string
	for n := range at.node.All() {
		var ok bool
		if names, ok = c.typeName(at.at(n), names); !ok {
			return nil, false
		}
	}
	return names, true
}

// typeName appends the name of a type to names.
func (c *compiler) typeName(at location, names []string) ([]string, bool) {
	name := at.node.Text()
	if !slices.Contains(typeNames, name) {
		c.fail(at.errorf("type %s is not known", at.node.Compact()).WithHint("%s", typeHint(name)))
		return nil, false
	}
	if slices.Contains(names, name) {
		return names, true
	}
	return append(names, name), true
}

func typeHint(name string) string {
	known := typeNames[:len(typeNames)-1]
	if near := diag.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "the types are " + strings.Join(known, ", ")
}

// infer returns the types that a schema without the keyword type implies by its other keywords.
func infer(s *schema, r role) []string {
	for _, use := range s.shapes() {
		if use.node.Exists() {
			return []string{use.typ}
		}
	}
	for limit, node := range s.limits {
		if node.Exists() && limitTable[limit].infer != "" {
			return []string{limitTable[limit].infer}
		}
	}
	if r == body {
		return []string{typeObject}
	}
	return nil
}

// shape is a keyword that implies one type.
type shape struct {
	node jsontree.Node
	typ  string
}

func (s *schema) shapes() [6]shape {
	return [...]shape{
		{s.properties, typeObject}, {s.patterns, typeObject}, {s.additional, typeObject}, {s.required, typeObject},
		{s.items, typeArray}, {s.additionalItems, typeArray},
	}
}

// checkUse adds notes for keywords that have no meaning for the schema's types.
func (c *compiler) checkUse(s *schema, types []string) {
	for _, use := range s.shapes() {
		if use.node.Exists() && !slices.Contains(types, use.typ) {
			c.unused(s.at(use.node))
		}
	}
	c.checkLimits(s, types)
}

func (c *compiler) unused(at location) {
	c.note(at, at.node.Name(), "the keyword %s has no meaning here and is ignored", at.node.Name())
}
