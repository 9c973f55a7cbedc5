package migrate

import (
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// side is the object that a path belongs to.
type side uint8

const (
	source side = iota + 1
	target
	// an object that was read from an annotation
	kept
)

// ref is a property, by its JSON path.
type ref struct {
	side side
	path string
}

// within returns a property of a property.
func (r ref) within(name string) ref {
	switch {
	case name == "":
	case r.path == "", strings.HasPrefix(name, "["):
		r.path += name
	default:
		r.path += "." + name
	}
	return r
}

// value describes what an expression is derived from.
type value struct {
	refs []ref
	// exact reports that it is a copy of the one property.
	exact bool
	// constant reports that it is not a zero value, and derived from no property.
	constant bool
	// members are the members of a struct literal, by JSON name.
	members map[string]value
}

func exactly(r ref) value { return value{refs: []ref{r}, exact: true} }

// derived returns a value that is derived from several values.
func derived(values ...value) value {
	var out value
	seen := map[ref]bool{}
	for _, v := range values {
		for _, r := range v.all() {
			if !seen[r] {
				seen[r] = true
				out.refs = append(out.refs, r)
			}
		}
	}
	return out
}

// all returns the properties that a value and its members are derived from.
func (v value) all() []ref {
	refs := slices.Clone(v.refs)
	for _, m := range v.members {
		refs = append(refs, m.all()...)
	}
	return refs
}

// of returns the properties of one side.
func (v value) of(s side) []ref {
	return slices.DeleteFunc(v.all(), func(r ref) bool { return r.side != s })
}

// only returns the property that a value is a copy of.
func (v value) only() (ref, bool) {
	if !v.exact || len(v.refs) != 1 {
		return ref{}, false
	}
	return v.refs[0], true
}

// selected returns the JSON path of a selected field; false if JSON does not have it.
func selected(s *types.Selection) (string, bool) {
	t := s.Recv()
	path := ref{}
	for _, i := range s.Index() {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		u, ok := t.Underlying().(*types.Struct)
		if !ok {
			return "", false
		}
		f := u.Field(i)
		name, _, _ := strings.Cut(reflect.StructTag(u.Tag(i)).Get("json"), ",")
		if name == "-" {
			return "", false
		}
		if name == "" && !f.Embedded() {
			name = f.Name()
		}
		path = path.within(name)
		t = f.Type()
	}
	return path.path, true
}

// fieldName returns the JSON name of a struct's field.
func (r *reader) fieldName(t types.Type, field string) (string, bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return "", false
	}
	all, known := r.fields[s]
	if !known {
		all = make(map[string]string, s.NumFields())
		for i := range s.NumFields() {
			all[s.Field(i).Name()], _, _ = strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		}
		r.fields[s] = all
	}
	name, ok := all[field]
	return name, ok && name != "-"
}
