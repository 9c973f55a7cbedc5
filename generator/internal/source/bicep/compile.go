package bicep

import (
	"slices"
	"strconv"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// compiler compiles the types of one resource's body.
type compiler struct {
	unit     *unit
	doc      *document
	names    map[string]bool // of definitions
	defs     map[defKey]*model.Def
	pending  []pending
	within   []int // indexes of the enclosing types without a definition
	problems []diag.Message
	reported map[fault]bool
}

// fault is a recorded error.
type fault struct {
	offset int
	text   string
}

// defKey is an object in a view. An object that is the same in both views belongs to the spec's.
type defKey struct {
	index int
	view  view
}

// pending is a definition that remains to be compiled.
type pending struct {
	key defKey
	def *model.Def
}

// maxDefinitions is the largest number of objects that a resource may reach, which also bounds
// their nesting. Published resources have less than two thousand.
const maxDefinitions = 20000

// maxWithin is the largest nesting of lists, maps and unions.
const maxWithin = 50

// fail records an error once, since an error in one view is usually in the other too.
func (c *compiler) fail(m diag.Message) {
	at := fault{m.Pos.Offset, m.Text}
	if !c.reported[at] {
		c.reported[at] = true
		c.problems = append(c.problems, m)
	}
}

// drain compiles the pending definitions, and those that they refer to.
func (c *compiler) drain() {
	for i := 0; i < len(c.pending); i++ {
		p := c.pending[i]
		p.def.Type = c.structure(c.doc.types[p.key.index], p.key.view, p.def.Name, false)
	}
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
func (c *compiler) known(n jsontree.Node) {
	kind := n.Member("$type").Text()
	if members[kind] == nil {
		return
	}
	for m := range n.All() {
		if name := m.Name(); name != "$type" && !slices.Contains(members[kind], name) {
			c.unit.note(kind+" "+name, m, "the member %s of a %s is not read", name, kind)
		}
	}
}

// follow returns the type that a reference names. where is the object whose member name should be a
// reference.
func (c *compiler) follow(at, where jsontree.Node, name string) (int, bool) {
	ref := at.Member("$ref")
	switch {
	case !at.Exists():
		c.fail(c.doc.errorf(where, "%s is missing", name))
	case ref.Kind() != jsontree.String:
		c.fail(c.doc.errorf(at, "%s must refer to a type, as in {\"$ref\": \"#/0\"}", name))
	default:
		i, ok := c.doc.index(ref)
		if !ok {
			c.fail(c.doc.errorf(ref, "the reference %s has no target: the file has the types #/0 to #/%d", ref.Raw(), len(c.doc.types)-1))
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

// refer returns the type that a reference names. place is the name of an object there, if its own
// name is taken.
func (c *compiler) refer(at, where jsontree.Node, name string, v view, place string) found {
	i, ok := c.follow(at, where, name)
	if !ok {
		return found{typ: &model.Any{}}
	}
	if !c.doc.twofold[i] {
		v = spec
	}
	if c.isStructure(c.doc.types[i]) {
		return found{typ: &model.Ref{Def: c.define(i, v, place)}, secret: c.doc.types[i].Member("sensitive").IsTrue()}
	}
	if len(c.within) == maxWithin || slices.Contains(c.within, i) {
		c.fail(c.doc.errorf(at, "the type %s contains itself, or is nested too deeply, without an object between", at.Member("$ref").Raw()))
		return found{typ: &model.Any{}}
	}
	c.within = append(c.within, i)
	defer func() { c.within = c.within[:len(c.within)-1] }()
	return c.plain(c.doc.types[i], v, place)
}

// isStructure reports whether a type becomes a definition: an object with properties.
func (c *compiler) isStructure(n jsontree.Node) bool {
	switch n.Member("$type").Text() {
	case "DiscriminatedObjectType":
		return true
	case "ObjectType":
		return n.Member("properties").Len() > 0 || !n.Member("additionalProperties").Exists()
	}
	return false
}

// define returns the definition of an object. The first call queues it.
func (c *compiler) define(i int, v view, place string) *model.Def {
	key := defKey{i, v}
	d := c.defs[key]
	if d == nil {
		n := c.doc.types[i]
		if len(c.defs) == maxDefinitions {
			c.fail(c.doc.errorf(n, "the resource reaches more than %d objects", maxDefinitions))
		}
		d = &model.Def{Name: c.name(n, v, place), Pos: c.doc.pos(n), Type: &model.Object{}}
		c.defs[key] = d
		if len(c.defs) <= maxDefinitions {
			c.pending = append(c.pending, pending{key, d})
		}
	}
	return d
}

// name makes a unique name for a definition of the resource: its own, that of its place, or a
// numbered one.
func (c *compiler) name(n jsontree.Node, v view, place string) string {
	suffix := ""
	if v == status {
		suffix = "_" + model.StatusSuffix
	}
	own := n.Member("name").Text()
	if own == "" {
		own = place
	}
	for _, name := range []string{own, place} {
		if c.claim(name + suffix) {
			return name + suffix
		}
	}
	for i := 2; ; i++ {
		if name := own + "_" + strconv.Itoa(i) + suffix; c.claim(name) {
			return name
		}
	}
}

func (c *compiler) claim(name string) bool {
	if c.names[name] {
		return false
	}
	c.names[name] = true
	return true
}
