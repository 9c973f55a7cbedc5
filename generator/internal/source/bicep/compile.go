package bicep

import (
	"cmp"
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// compiler compiles the types of one resource's body.
type compiler struct {
	unit   *unit
	file   *file
	scope  jsonschema.Scope
	within []int // indexes of the enclosing types without a definition
}

// maxWithin is the largest nesting of lists, maps and unions.
const maxWithin = 50

// define compiles a definition.
func (c *compiler) define(d *jsonschema.Definition) {
	d.Def.Type = c.structure(d.At, d.Use.View, d.Def.Name, false)
}

// members lists the known members of every kind of type.
var members = map[string][]string{
	"StringType":              {"sensitive", "minLength", "maxLength", "pattern"},
	"StringLiteralType":       {"value", "sensitive"},
	"IntegerType":             {"minValue", "maxValue"},
	"BooleanType":             {},
	"AnyType":                 {},
	"NullType":                {},
	"UnionType":               {"elements"},
	"ArrayType":               {"itemType", "minLength", "maxLength"},
	"ObjectType":              {"name", "properties", "additionalProperties", "sensitive"},
	"DiscriminatedObjectType": {"name", "discriminator", "baseProperties", "elements"},
	"ResourceType":            {"name", "body", "readableScopes", "writableScopes", "scopeType", "readOnlyScopes", "flags", "functions"},
	"ResourceFunctionType":    {},
}

// known adds notes for the unknown members of a type.
func (c *compiler) known(n document.Location) {
	kind := n.Member("$type").Text()
	if members[kind] == nil {
		return
	}
	for m := range n.All() {
		if name := m.Name(); name != "$type" && !slices.Contains(members[kind], name) {
			c.unit.notes.Add(m, kind+" "+name, "the member %s of a %s is not read", name, kind)
		}
	}
}

// follow returns the type that a reference names. where is the object whose member name should be a
// reference.
func (c *compiler) follow(at, where document.Location, name string) (int, bool) {
	ref := at.Member("$ref")
	switch {
	case !at.Exists():
		c.scope.Fail(where.Errorf("%s is missing", name))
	case ref.Kind() != syntax.String:
		c.scope.Fail(at.Errorf("%s must refer to a type, as in {\"$ref\": \"#/0\"}", name))
	default:
		i, ok := c.file.index(ref)
		if !ok {
			c.scope.Fail(ref.Errorf("the reference %s has no target: the file has the types #/0 to #/%d", ref.JSON(), len(c.file.types)-1))
		}
		return i, ok
	}
	return 0, false
}

// found is a type, and whether its values are secret.
type found struct {
	typ    model.Type
	secret bool
}

// refer returns the type that a reference names. fallback is the name of an object there, if its
// own name is taken.
func (c *compiler) refer(at, where document.Location, name string, v jsonschema.View, fallback string) found {
	i, ok := c.follow(at, where, name)
	if !ok {
		return found{typ: &model.Any{}}
	}
	if !c.file.twofold[i] {
		v = jsonschema.Spec
	}
	if c.isStructure(c.file.types[i]) {
		return found{typ: c.object(i, v, fallback), secret: c.file.types[i].Member("sensitive").IsTrue()}
	}
	if len(c.within) == maxWithin || slices.Contains(c.within, i) {
		c.scope.Fail(at.Errorf("the type %s contains itself, or is nested too deeply, without an object between", at.Member("$ref").JSON()))
		return found{typ: &model.Any{}}
	}
	c.within = append(c.within, i)
	defer func() { c.within = c.within[:len(c.within)-1] }()
	return c.plain(c.file.types[i], v, fallback)
}

// isStructure reports whether a type becomes a definition: an object with properties.
func (c *compiler) isStructure(n document.Location) bool {
	switch n.Member("$type").Text() {
	case "DiscriminatedObjectType":
		return true
	case "ObjectType":
		return n.Member("properties").Len() > 0 || !n.Member("additionalProperties").Exists()
	}
	return false
}

// object returns a reference to the definition of an object. The first call queues it. Its name is
// its own, the fallback, or a numbered one.
func (c *compiler) object(i int, v jsonschema.View, fallback string) model.Type {
	n, use := c.file.types[i], jsonschema.Use{View: v}
	d := c.scope.Lookup(n, use)
	if d == nil {
		own := cmp.Or(n.Member("name").Text(), fallback)
		d = c.scope.Add(n, use, c.scope.Names.Unique(v.Suffix(), own, fallback))
	}
	return c.scope.Refer(d, false)
}
