package migrate

import (
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// side is whose property a path is of.
type side uint8

const (
	source side = iota + 1
	target
	// kept is an object that was read from an annotation.
	kept
)

// ref is a property, by its JSON path.
type ref struct {
	side side
	path string
}

// within is a property of a property.
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

// value is what an expression is made of.
type value struct {
	refs []ref
	// exact tells that it is the one property as it is.
	exact bool
	// constant tells that it is no zero value, and made of no property.
	constant bool
	// members are those of a struct that is written out, by JSON name.
	members map[string]value
}

func exactly(r ref) value { return value{refs: []ref{r}, exact: true} }

// derived is what is made of several values.
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

// all are the properties that a value is made of, its members' too.
func (v value) all() []ref {
	refs := slices.Clone(v.refs)
	for _, m := range v.members {
		refs = append(refs, m.all()...)
	}
	return refs
}

// of are the properties of one side.
func (v value) of(s side) []ref {
	return slices.DeleteFunc(v.all(), func(r ref) bool { return r.side != s })
}

// only is the property that a value is, if it is exactly one.
func (v value) only() (ref, bool) {
	if !v.exact || len(v.refs) != 1 {
		return ref{}, false
	}
	return v.refs[0], true
}

// selected is the JSON path of a selected field; false for what JSON does not have.
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

// fieldName is the JSON name of a struct's field.
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
