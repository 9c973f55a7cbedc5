package conversion

import (
	"errors"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/syntax"
)

// tree is a JSON value that can be changed.
type tree struct {
	kind    syntax.Kind
	json    string // of a scalar
	members []member
	items   []*tree
}

type member struct {
	name  string
	value *tree
}

func treeOf(v *syntax.Value) *tree {
	t := &tree{kind: v.Kind()}
	switch v.Kind() {
	case syntax.Object:
		for _, m := range v.All() {
			t.members = append(t.members, member{m.Name(), treeOf(m)})
		}
	case syntax.List:
		for _, item := range v.All() {
			t.items = append(t.items, treeOf(item))
		}
	default:
		t.json = v.JSON()
	}
	return t
}

// parsed returns the tree of a JSON text.
func parsed(text string) (*tree, error) {
	all, err := syntax.Parse("object.json", []byte(text), syntax.Default)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, errors.New("it is not one value")
	}
	return treeOf(all[0]), nil
}

func text(s string) *tree { return &tree{kind: syntax.String, json: syntax.Quote(s)} }

func (t *tree) append(b *strings.Builder) {
	switch t.kind {
	case syntax.Object:
		b.WriteByte('{')
		for i, m := range t.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(syntax.Quote(m.name))
			b.WriteByte(':')
			m.value.append(b)
		}
		b.WriteByte('}')
	case syntax.List:
		b.WriteByte('[')
		for i, item := range t.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.append(b)
		}
		b.WriteByte(']')
	default:
		b.WriteString(t.json)
	}
}

// JSON returns the value as JSON.
func (t *tree) JSON() string {
	var b strings.Builder
	t.append(&b)
	return b.String()
}

// value returns the value in the form of package syntax.
func (t *tree) value() (*syntax.Value, error) {
	all, err := syntax.Parse("object.json", []byte(t.JSON()), syntax.Default)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// member returns a member of an object; nil if there is none.
func (t *tree) member(name string) *tree {
	if t == nil {
		return nil
	}
	for _, m := range t.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// at returns the value at a path; nil if there is none.
func (t *tree) at(path ...string) *tree {
	for _, name := range path {
		if t == nil {
			return nil
		}
		if t.kind == syntax.List {
			i := indexOf(name)
			if i < 0 || i >= len(t.items) {
				return nil
			}
			t = t.items[i]
			continue
		}
		t = t.member(name)
	}
	return t
}

// clone returns a copy of the objects and lists. Scalars are shared.
func (t *tree) clone() *tree {
	if t.kind != syntax.Object && t.kind != syntax.List {
		return t
	}
	out := &tree{kind: t.kind}
	for _, m := range t.members {
		out.members = append(out.members, member{m.name, m.value.clone()})
	}
	for _, item := range t.items {
		out.items = append(out.items, item.clone())
	}
	return out
}

// set sets a member of an object.
func (t *tree) set(name string, value *tree) {
	for i := range t.members {
		if t.members[i].name == name {
			t.members[i].value = value
			return
		}
	}
	t.members = append(t.members, member{name, value})
}

// remove removes a member of an object.
func (t *tree) remove(name string) {
	t.members = slices.DeleteFunc(t.members, func(m member) bool { return m.name == name })
}

// within returns the object at a path, and creates the objects on it that are absent. It returns
// nil if another value is in the way.
func (t *tree) within(path []string) *tree {
	for i, name := range path {
		next := t.at(name)
		if next == nil && t.kind == syntax.Object {
			next = &tree{kind: syntax.Object}
			t.set(name, next)
		}
		if next == nil || next.kind != syntax.Object && i == len(path)-1 {
			return nil
		}
		t = next
	}
	return t
}

// isEqual reports whether two values are equal, in whatever order their members are.
func (t *tree) isEqual(o *tree) bool {
	if o == nil || t.kind != o.kind || len(t.members) != len(o.members) {
		return false
	}
	for _, m := range t.members {
		if !m.value.isEqual(o.member(m.name)) {
			return false
		}
	}
	return t.json == o.json && slices.EqualFunc(t.items, o.items, (*tree).isEqual)
}
