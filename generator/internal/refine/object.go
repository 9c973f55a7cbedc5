package refine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// maxDepth bounds how deep anonymous unions may nest below each other.
const maxDepth = 200

// define adds a definition, to be filled by the caller.
func (b *builder) define(name string) *model.Def {
	d := &model.Def{Name: name}
	b.version.Defs = append(b.version.Defs, d)
	return d
}

// object refines the members of an object. Owner is the name that anonymous
// members below it start with; path is the object's place in the body.
func (b *builder) object(s shape, owner, path string) *model.Object {
	o := &model.Object{Union: s.union}
	for _, m := range s.members {
		at := join2(path, m.Name)
		p := m.Property
		p.Type = b.typ(m.Type, owner+Identifier(m.Name), at, m.Pos)
		p.Required = slices.Contains(s.required, m.Name)
		o.Properties = append(o.Properties, &p)
	}
	for _, name := range s.required {
		if s.member(name) == nil {
			b.notes = append(b.notes, Problem{Type: b.resource.Type, Version: b.version.Name, Pos: b.version.Pos,
				Text: fmt.Sprintf("%s requires %q, which is not declared", place(path), name)})
		}
	}
	if s.additional != nil {
		o.Additional = b.typ(s.additional, owner+"Additional", join2(path, "*"), b.version.Pos)
	}
	return o
}

func place(path string) string {
	if path == "" {
		return "the body"
	}
	return path
}

func join2(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// typ refines a type that stands at a place. Name is what an anonymous object
// there is called.
func (b *builder) typ(t model.Type, name, path string, pos model.Pos) model.Type {
	b.depth++
	defer func() { b.depth-- }()
	s := shapeOf(t, 0)
	if b.depth > maxDepth {
		s = shape{form: formClash, clash: "nested too deeply"}
	}
	switch s.form {
	case formClash:
		b.conflicts = append(b.conflicts, Conflict{Type: b.resource.Type, Version: b.version.Name, Path: path, Reason: s.clash, Pos: pos})
		return &model.Any{Reason: s.clash}
	case formScalar:
		if s.values != nil {
			return &model.Enum{Base: s.kind, Values: s.values}
		}
		return &model.Scalar{Kind: s.kind, Limits: s.limits}
	case formList:
		return &model.List{Elem: b.elem(s.elem, name, path+"[]", pos), Limits: s.limits}
	case formMap:
		return &model.Map{Elem: b.elem(s.additional, name, path+".*", pos)}
	case formObject:
		return &model.Ref{Def: b.named(t, s, name, path)}
	}
	return &model.Any{}
}

// elem refines what a list or map holds; without a type, free JSON.
func (b *builder) elem(t model.Type, name, path string, pos model.Pos) model.Type {
	if t == nil {
		return &model.Any{}
	}
	return b.typ(t, name, path, pos)
}

// named returns the definition of an object type. One raw type is one
// definition, wherever it stands; so recursion ends.
func (b *builder) named(t model.Type, s shape, name, path string) *model.Def {
	key := b.key(t)
	if d := b.objects[key]; d != nil {
		return d
	}
	var doc string
	var pos model.Pos
	if raw := source(t); raw != nil {
		doc, pos = raw.Doc, raw.Pos
		if id := Identifier(raw.Name); !b.names[id] {
			name = id
		}
	}
	d := b.define(b.unique(name))
	d.Doc, d.Pos = doc, pos
	b.objects[key] = d
	d.Type = b.object(s, d.Name, path)
	return d
}

// source is the definition that a type is named after: the last of a chain of
// references, or nil for what is declared in place.
func source(t model.Type) *model.Def {
	var d *model.Def
	for {
		switch u := t.(type) {
		case *model.Ref:
			d, t = u.Def, u.Def.Type
			continue
		case *model.OneOf:
			if len(u.Branches) == 1 {
				t = u.Branches[0]
				continue
			}
		case *model.AllOf:
			if len(u.Parts) == 1 {
				t = u.Parts[0]
				continue
			}
		}
		return d
	}
}

// key identifies a raw type: references by their definition, declarations by
// themselves, combinations by what they combine.
func (b *builder) key(t model.Type) string {
	if d := source(t); d != nil {
		return "d" + b.id(d)
	}
	switch t := t.(type) {
	case *model.OneOf:
		return "one(" + b.keys(t.Branches) + ")"
	case *model.AllOf:
		return "all(" + b.keys(t.Parts) + ")"
	case *model.List:
		return "list(" + b.key(t.Elem) + ")"
	case *model.Map:
		return "map(" + b.key(t.Elem) + ")"
	case *model.Scalar:
		return t.Kind.String()
	}
	return "t" + b.id(t)
}

func (b *builder) keys(types []model.Type) string {
	var all []string
	for _, t := range types {
		if k := b.key(t); !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	return strings.Join(all, ",")
}

func (b *builder) id(of any) string {
	n, ok := b.ids[of]
	if !ok {
		n = len(b.ids)
		b.ids[of] = n
	}
	return strconv.Itoa(n)
}

// unique makes a name that the version does not have yet.
func (b *builder) unique(name string) string {
	out := name
	for n := 2; b.names[out]; n++ {
		out = name + strconv.Itoa(n)
	}
	b.names[out] = true
	return out
}
