package jsonschema

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// members compiles a schema as an object. With declared properties it is an object, closed unless
// the schema says otherwise. Without them it is a map. The result has no type if the schema only
// states that it is an object, and others that hold together with it state which.
func (c *Compiler) members(s *schema, use Use) Compiled {
	o := &model.Object{}
	required := c.requires(s, use)
	c.properties(s, o, required, use)
	o.Requires = required.rest()
	more := c.additional(s, use)
	o.Additional = more.Type
	p := Compiled{Type: shaped(s, o, use.Role), Secret: more.Secret && len(o.Properties) == 0}
	if use.View == Status {
		o.Requires = nil
	}
	return p
}

// shaped returns the object, the map or nothing that a schema's members determine.
func shaped(s *schema, o *model.Object, r Role) model.Type {
	switch {
	case r == Body || len(o.Properties) > 0 || s.properties.Exists() && o.Additional == nil:
		return o
	case len(o.Requires) > 0:
		if o.Additional == nil && r == Standing && !s.additional.Exists() {
			o.Additional = &model.Any{}
		}
		return o
	case o.Additional != nil:
		return &model.Map{Elem: o.Additional}
	case s.additional.Exists() && r != Joined, r == Branch:
		return o
	case r == Joined:
		return nil
	}
	return &model.Map{Elem: &model.Any{}}
}

func (c *Compiler) properties(s *schema, o *model.Object, required *required, use Use) {
	if !c.isObject(s.properties) {
		return
	}
	for at := range s.properties.All() {
		name := at.Name()
		if use.Role == Body && c.dialect.LeavesOut(s.Location, name) {
			continue
		}
		isRequired := required.take(name)
		if c.isFalse(at) {
			continue
		}
		if p := c.property(at, use); p != nil {
			p.Required = isRequired && use.View == Spec
			o.Properties = append(o.Properties, p)
		}
	}
}

// property compiles a property. It returns nil if the view does not have it.
func (c *Compiler) property(at document.Location, use Use) *model.Property {
	access := c.dialect.Access(at)
	if !access.Shows(use.View, false) {
		return nil
	}
	c.inside++
	p := c.Schema(at, use.in(Standing))
	c.inside--
	if !access.Shows(use.View, p.Secret) {
		if access.NoWrite {
			c.notes.Add(at, "secret status", "the secret %s can only be read, and is ignored", at.Name())
		}
		return nil
	}
	if p.Null {
		c.notes.Add(at, "null", "null is the only value; it becomes free JSON")
	}
	q := &model.Property{Name: at.Name(), Doc: p.Doc, Type: p.Solid(), Secret: p.Secret, Pos: at.Pos()}
	if p.Default.Exists() && p.Default.Kind() != syntax.Null {
		q.Default = p.Default.JSON()
	}
	c.dialect.Property(at, q, p)
	return q
}

// isObject checks that the value of a keyword is an object of schemas. It returns false also if the
// keyword is missing.
func (c *Compiler) isObject(at document.Location) bool {
	switch at.Kind() {
	case syntax.Absent:
		return false
	case syntax.Object:
		c.once(at)
		return true
	default:
		c.Fail(at.Errorf("%s must be an object of schemas, not %s", at.Name(), at.Kind()))
		return false
	}
}

// isFalse reports whether a schema is the boolean false, which allows nothing.
func (c *Compiler) isFalse(at document.Location) bool {
	if !at.IsFalse() {
		return false
	}
	c.notes.Add(at, "false", "a schema that allows nothing is ignored")
	return true
}

// additional returns the type of members that are not declared; nil if there are none.
func (c *Compiler) additional(s *schema, use Use) Compiled {
	if !s.patterns.Exists() && !s.additional.Exists() {
		return Compiled{}
	}
	c.inside++
	defer func() { c.inside-- }()
	all := several{compiler: c, use: use.in(Standing)}
	c.patterns(s, &all)
	switch {
	case !s.additional.Exists() || s.additional.IsFalse():
	case s.additional.IsTrue():
		all.types = append(all.types, &model.Any{})
	default:
		all.add(s.additional)
	}
	return all.union()
}

// patterns adds the types of members whose names match patterns.
func (c *Compiler) patterns(s *schema, all *several) {
	if !c.isObject(s.patterns) {
		return
	}
	c.notes.Add(s.patterns, "patternProperties", "the patterns of patternProperties cannot be represented by the model and are ignored")
	for at := range s.patterns.All() {
		if !c.isFalse(at) {
			all.add(at)
		}
	}
}

// several collects the types of schemas that stand alone.
type several struct {
	compiler *Compiler
	use      Use
	types    []model.Type
	secret   bool
}

func (all *several) add(at document.Location) {
	p := all.compiler.Schema(at, all.use)
	all.compiler.dialect.Discard(p)
	all.types = append(all.types, p.Solid())
	all.secret = all.secret || p.Secret
}

func (all *several) union() Compiled { return Compiled{Type: Union(all.types), Secret: all.secret} }

// elements returns the type of a list's elements. The list form of items, with a schema for each
// position, becomes a union. Dialects without additionalItems do not have this form.
func (c *Compiler) elements(s *schema, use Use) Compiled {
	if !s.items.Exists() || c.isFalse(s.items) {
		return Compiled{Type: &model.Any{}}
	}
	c.inside++
	defer func() { c.inside-- }()
	all := several{compiler: c, use: use.in(Standing)}
	if s.items.Kind() == syntax.List && !slices.Contains(c.vocabulary.Without, "additionalItems") {
		c.positions(s, &all)
		return all.union()
	}
	if s.additionalItems.Exists() {
		c.dialect.Unused(s.additionalItems)
	}
	all.add(s.items)
	return all.union()
}

// positions adds the types of the list form of items.
func (c *Compiler) positions(s *schema, all *several) {
	c.notes.Add(s.items, "items", "items with a schema for each position: the model has one type for all elements")
	for at := range c.schemas(s.items) {
		all.add(at)
	}
	switch more := s.additionalItems; {
	case more.Kind() == syntax.Object:
		all.add(more)
	case !more.IsFalse():
		all.types = append(all.types, &model.Any{})
	}
}

// required is the list of names that a schema requires.
type required struct {
	names []string
	taken map[string]bool // all names; true if a property of the name is declared
}

func (c *Compiler) requires(s *schema, use Use) *required {
	q := &required{}
	if !s.required.Exists() || !c.isList(s.required, "names") {
		return q
	}
	q.taken = map[string]bool{}
	for at := range s.required.All() {
		name := at.Text()
		switch {
		case at.Kind() != syntax.String:
			c.Fail(at.Errorf("required must list names, not %s", at.Kind()))
		case use.Role == Body && c.dialect.LeavesOut(s.Location, name) || q.has(name):
		default:
			q.names = append(q.names, name)
			q.taken[name] = false
		}
	}
	return q
}

// take reports whether a declared property is required.
func (q *required) take(name string) bool {
	if !q.has(name) {
		return false
	}
	q.taken[name] = true
	return true
}

func (q *required) has(name string) bool {
	_, has := q.taken[name]
	return has
}

// rest returns the required names that are not declared here.
func (q *required) rest() []string {
	var names []string
	for _, name := range q.names {
		if !q.taken[name] {
			names = append(names, name)
		}
	}
	return names
}
