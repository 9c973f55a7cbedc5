package jsonschema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// The names of types in schemas.
const (
	TypeString  = "string"
	TypeInteger = "integer"
	TypeNumber  = "number"
	TypeBoolean = "boolean"
	TypeObject  = "object"
	TypeArray   = "array"
	TypeNull    = "null"
	TypeAny     = "any" // from draft 3; still used
)

// Types are the names of types in all drafts since the fourth.
var Types = []string{TypeString, TypeInteger, TypeNumber, TypeBoolean, TypeObject, TypeArray, TypeNull}

// ScalarKinds maps the names of scalar types to the kinds of the model.
var ScalarKinds = map[string]model.Kind{
	TypeString: model.String, TypeInteger: model.Int, TypeNumber: model.Number, TypeBoolean: model.Bool,
}

// own compiles the keywords of a schema that do not combine others.
func (c *Compiler) own(s *schema, use Use) Compiled {
	out := c.stated(s, use)
	if out.Type != nil {
		c.dialect.Own(s.Location, out.Type)
	}
	return out
}

func (c *Compiler) stated(s *schema, use Use) Compiled {
	names, ok := c.types(s)
	if !ok {
		return Compiled{}
	}
	if s.enum.Exists() || s.constant.Exists() {
		if t, null := c.values(s, names); t != nil || null {
			return Compiled{Type: t, Null: null}
		}
	}
	if len(names) == 1 && names[0] == TypeNull {
		return Compiled{Null: true}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == TypeNull })
	if len(names) == 0 {
		names = infer(s, use.Role)
	}
	c.checkUse(s, names)
	return c.kinds(s, names, use)
}

// kinds compiles a schema as each of some types.
func (c *Compiler) kinds(s *schema, names []string, use Use) Compiled {
	if len(names) == 1 {
		return c.kind(s, names[0], use)
	}
	var types []model.Type
	out := Compiled{}
	for _, name := range names {
		p := c.kind(s, name, use)
		out.Secret = out.Secret || p.Secret
		if p.Type != nil {
			types = append(types, p.Type)
		}
	}
	out.Type = Union(types)
	return out
}

func (c *Compiler) kind(s *schema, name string, use Use) Compiled {
	switch name {
	case TypeObject:
		return c.members(s, use)
	case TypeArray:
		p := c.elements(s, use)
		p.Type = &model.List{Elem: p.Type, Limits: c.limits(s, name)}
		c.dialect.Type(s.Location, p.Type)
		return p
	case TypeAny:
		return Compiled{Type: &model.Any{}}
	}
	return Compiled{Type: &model.Scalar{Kind: ScalarKinds[name], Limits: c.limits(s, name)}}
}

// types reads the keyword type. It returns false after an error.
func (c *Compiler) types(s *schema) ([]string, bool) {
	switch s.typ.Kind() {
	case syntax.Absent:
		return nil, true
	case syntax.String:
		return c.typeName(s.typ, nil)
	case syntax.List:
		return c.typeList(s.typ)
	default:
		c.Fail(s.typ.Errorf("type must be a name or a list of names, not %s", s.typ.Kind()))
		return nil, false
	}
}

func (c *Compiler) typeList(at document.Location) ([]string, bool) {
	if at.Len() == 0 {
		c.Fail(at.Errorf("type names no types"))
		return nil, false
	}
	var names []string
	for n := range at.All() {
		var ok bool
		if names, ok = c.typeName(n, names); !ok {
			return nil, false
		}
	}
	return names, true
}

// typeName appends the name of a type to names.
func (c *Compiler) typeName(at document.Location, names []string) ([]string, bool) {
	name := at.Text()
	if !slices.Contains(c.vocabulary.Types, name) {
		c.Fail(at.Errorf("type %s is not known", at.JSON()).WithHint("%s", typeHint(name)))
		return nil, false
	}
	if slices.Contains(names, name) {
		return names, true
	}
	return append(names, name), true
}

func typeHint(name string) string {
	if near := diag.Nearest(name, Types); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "the types are " + strings.Join(Types, ", ")
}

// infer returns the types that a schema without the keyword type implies by its other keywords.
func infer(s *schema, r Role) []string {
	for i, at := range s.shapes() {
		if at.Exists() {
			return []string{typeOfShape[i]}
		}
	}
	for i := range s.limits {
		if s.mayLimit && s.limits[i].Exists() && limitTable[i].infer != "" {
			return []string{limitTable[i].infer}
		}
	}
	if r == Body {
		return []string{TypeObject}
	}
	return nil
}

// typeOfShape is the type that each keyword of shapes implies. It is apart from the keywords, so
// that a type which is returned does not move the schema to the heap.
var typeOfShape = [...]string{TypeObject, TypeObject, TypeObject, TypeObject, TypeArray, TypeArray}

// shapes returns the keywords that imply one type.
func (s *schema) shapes() [len(typeOfShape)]*document.Location {
	return [...]*document.Location{&s.properties, &s.patterns, &s.additional, &s.required, &s.items, &s.additionalItems}
}

// checkUse reports keywords that have no meaning for the schema's types.
func (c *Compiler) checkUse(s *schema, types []string) {
	for i, at := range s.shapes() {
		if at.Exists() && !slices.Contains(types, typeOfShape[i]) {
			c.dialect.Unused(*at)
		}
	}
	c.checkLimits(s, types)
}
