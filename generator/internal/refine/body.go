package refine

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
)

// body is the body of a resource version while it is refined.
type body struct {
	joiner
	unit      *unit
	section   section
	spec      model.Type
	status    model.Type            // nil if it mirrors the spec
	suffix    string                // for the names of definitions
	objects   map[string]*model.Def // by key of the raw type
	names     Identifiers           // of definitions
	ids       map[any]int
	depth     int // of nested types
	budget    budget
	refused   map[string]bool // by key of the raw type: the combinations that exceed the budget
	open      map[string]bool // by key of the raw type: the lists and maps between a type and its object
	conflicts []Conflict
	notes     []Problem
	problems  []Problem
	decided   []Chosen              // by the user's configuration
	disagree  map[string]model.Type // by path: a type that cannot be merged
	offered   map[string][]string   // by key of the raw type: its choices
}

// body refines the body that the declarations describe together.
func (u *unit) body(declared ...*model.Version) *body {
	kind := u.resource.Kind
	b := &body{
		joiner:  newJoiner(),
		unit:    u,
		objects: map[string]*model.Def{},
		names:   Identifiers{kind: 1, kind + "List": 1, kind + "Status": 1},
		ids:     map[any]int{},
		budget:  newBudget(),
		refused: map[string]bool{},

		disagree: map[string]model.Type{},
		offered:  map[string][]string{},
	}
	var raw model.Type
	for _, d := range declared {
		raw = b.join(raw, d.Spec, same)
		b.budget.grow(d.Spec)
	}
	b.spec = b.root(raw, specOf(u.resource, u.known))
	return b
}

// root refines the body, or a separate status. It returns nil and reports a problem if raw is not
// an object.
func (b *body) root(raw model.Type, p section) model.Type {
	b.section = p
	pos := b.version().Pos
	root := b.shapeOf(raw)
	if !isObject(root.form) {
		b.problem(pos, fmt.Sprintf("%s is %s, not an object", inWords(p.path), root.name()), "a resource needs an object with properties")
		return nil
	}
	b.differing(raw, p.path, pos)
	def := &model.Def{Name: p.name, Pos: pos}
	if d := source(raw); d != nil && b.unit.resource.IsNative() {
		def.Doc = d.Doc // other resources have never had one, and the ledger stores their text
	}
	b.names.Reserve(p.name)
	def.Type = b.object(root, p.owner, p.path)
	return &model.Ref{Def: def}
}

func (b *body) version() *model.Version { return b.unit.declared[0] }

// about returns a problem or a note on this resource version.
func (b *body) about(pos model.Pos, text, hint string) Problem {
	return Problem{Type: b.unit.resource.Type, Version: b.version().Name, Text: text, Hint: hint, Pos: pos}
}

func (b *body) problem(pos model.Pos, text, hint string) {
	b.problems = append(b.problems, b.about(pos, text, hint))
}

// object refines the members of an object. owner is the prefix of the names of anonymous objects
// below it. path is the object's path in the body, empty for the body itself; the path of a
// separate status begins with "status".
func (b *body) object(s shape, owner, path string) *model.Object {
	defer func(open map[string]bool) { b.open = open }(b.open)
	b.open = map[string]bool{}
	if path == b.section.path {
		b.rename(&s)
	}
	b.checkNames(s.members.all(), path)
	o := &model.Object{Union: s.union, Facts: s.facts}
	for _, m := range s.members.all() {
		o.Properties = append(o.Properties, b.property(m, s, owner, path))
	}
	for _, name := range s.required.all() {
		if s.members.find(name) == nil {
			b.notes = append(b.notes, b.about(b.version().Pos, fmt.Sprintf("%s requires %q, which is not declared", inWords(path), name), ""))
		}
	}
	if s.additional != nil {
		o.Additional = b.typ(s.additional, owner+"Additional", within(path, "*"), b.version().Pos)
	}
	return o
}

func (b *body) property(m *model.Property, s shape, owner, path string) *model.Property {
	p := *m
	p.Type = b.typ(m.Type, owner+b.unit.names.Identifier(m.Name), within(path, m.Name), m.Pos)
	p.Required = s.required.has(m.Name) && !p.Secret
	return &p
}

// inWords formats a path for a message.
func inWords(path string) string {
	if path == "" {
		return "the body"
	}
	return path
}

// within returns the path of a member.
func within(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// maxDepth bounds the depth of nested types.
const maxDepth = 200

// typ refines a type at a path. name is the name for an anonymous object there.
func (b *body) typ(t model.Type, name, path string, pos model.Pos) model.Type {
	b.depth++
	defer func() { b.depth-- }()
	if b.unit.ctx.Err() != nil {
		return &model.Any{}
	}
	if b.depth > maxDepth {
		return b.conflict(path, "nested too deeply", pos)
	}
	if b.made[t] && source(t) == nil {
		switch d := b.objects[b.key(t)]; {
		case d != nil:
			b.differing(t, path, pos)
			return &model.Ref{Def: d}
		case b.exceeds(t):
			return b.conflict(path, tooMany, pos)
		}
	}
	s := b.shapeOf(t)
	if s.form == formClash {
		if chosen := b.choose(t, path, pos); chosen != nil {
			t, s = chosen, b.shapeOf(chosen)
		}
	}
	b.differing(t, path, pos)
	switch s.form {
	case formClash:
		b.disagree[path] = t
		out := b.conflict(path, s.clash, pos)
		if choices := b.choicesAt(path); len(choices) > 1 {
			b.conflicts[len(b.conflicts)-1].Choices = choices
		}
		if all := b.choices(t); len(all) > 3 && !b.unit.resource.IsNative() { // the reason has two, and free JSON is one
			out.Facts = model.Facts{alternatives(all)}
		}
		return out
	case formScalar:
		if s.values != nil {
			return &model.Enum{Base: s.kind, Values: s.values.all(), Open: s.open, Facts: s.facts}
		}
		return &model.Scalar{Kind: s.kind, Limits: s.limits, Facts: s.facts}
	case formList, formMap:
		return b.many(t, s, name, path, pos)
	case formObject:
		if d := b.named(t, s, name, path); d != nil {
			return &model.Ref{Def: d}
		}
		return b.conflict(path, tooMany, pos)
	}
	return &model.Any{Facts: s.facts}
}

// many refines a list or a map. One that contains itself without an object between is infinite,
// and so a conflict.
func (b *body) many(t model.Type, s shape, name, path string, pos model.Pos) model.Type {
	key := b.key(t)
	if b.open[key] {
		return b.conflict(path, s.name()+"s of themselves", pos)
	}
	b.open[key] = true
	defer delete(b.open, key)
	if s.form == formList {
		return &model.List{Elem: b.elem(s.elem, name, path+"[]", pos), Limits: s.limits, Facts: s.facts}
	}
	return &model.Map{Elem: b.elem(s.additional, name, path+".*", pos), Facts: s.facts}
}

// conflict records a conflict, and returns free JSON for the type that cannot be merged.
func (b *body) conflict(path, reason string, pos model.Pos) *model.Any {
	b.conflicts = append(b.conflicts, Conflict{Type: b.unit.resource.Type, Version: b.version().Name, Path: path, Reason: reason, Pos: pos})
	return &model.Any{Reason: reason}
}

// alternatives states what free JSON may be, for comparisons of versions.
func alternatives(names []string) model.Fact {
	slices.Sort(names)
	text, _ := json.Marshal(map[string][]string{model.Alternatives: names}) // texts always encode
	return model.Fact{Name: model.Unrepresented, Value: string(text)}
}

// elem refines the elements of a list or map; without a type they are free JSON.
func (b *body) elem(t model.Type, name, path string, pos model.Pos) model.Type {
	if t == nil {
		return &model.Any{}
	}
	return b.typ(t, name, path, pos)
}
