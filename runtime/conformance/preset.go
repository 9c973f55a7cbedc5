package conformance

import (
	"reflect"
	"strings"
	"sync"
)

// view describes a type beyond its JSON: the types of members, and the values that absent
// members are taken for. Nil describes nothing.
type view struct {
	elem    *view // for the elements of a list or a map
	members map[string]*viewMember
}

type viewMember struct {
	*view
	assumed any  // the value that an absent member is taken for
	assumes bool // whether there is such a value
	bag     bool // whether the member is a property bag
}

// within returns the description of the elements of a list or a map.
func (s *view) within() *view {
	if s == nil {
		return nil
	}
	return s.elem
}

// member returns the description of a member. Additional members of an open object, and keys of a
// map, have that of the elements.
func (s *view) member(name string) *viewMember {
	if s != nil && s.members[name] != nil {
		return s.members[name]
	}
	return &viewMember{view: s.within()}
}

var showns = struct {
	sync.Mutex
	of map[reflect.Type]*view // of structs
}{of: map[reflect.Type]*view{}}

// viewOf returns the description of a type, and nil if there is none.
func viewOf(of reflect.Type) *view {
	showns.Lock()
	defer showns.Unlock()
	return newView(of)
}

func newView(of reflect.Type) *view {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch of.Kind() {
	case reflect.Slice, reflect.Map:
		return &view{elem: newView(of.Elem())}
	case reflect.Struct:
	default:
		return nil
	}
	s := showns.of[of]
	if s == nil {
		s = &view{}
		showns.of[of] = s
		s.members = membersOf(of)
		if f, open := of.FieldByName("AdditionalProperties"); open && f.Type.Kind() == reflect.Map {
			s.elem = newView(f.Type.Elem())
		}
	}
	return s
}

func membersOf(of reflect.Type) map[string]*viewMember {
	members := map[string]*viewMember{}
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "" || name == "-" {
			continue
		}
		m := &viewMember{view: newView(f.Type), bag: isBag(f)}
		if text, ok := f.Tag.Lookup("default"); ok {
			m.assumed, m.assumes = readValue([]byte(text)), true
		}
		members[name] = m
	}
	return members
}
