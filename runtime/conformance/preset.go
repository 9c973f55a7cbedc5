package conformance

import (
	"reflect"
	"strings"
	"sync"
)

// shown describes a type beyond its JSON: the types of members, and the values that absent
// members are taken for. Nil describes nothing.
type shown struct {
	elem    *shown // for the elements of a list or a map
	members map[string]*shownMember
}

type shownMember struct {
	*shown
	assumed any  // the value that an absent member is taken for
	assumes bool // whether there is such a value
	bag     bool // whether the member is a property bag
}

// within returns the description of the elements of a list or a map.
func (s *shown) within() *shown {
	if s == nil {
		return nil
	}
	return s.elem
}

// member returns the description of a member. Additional members of an open object, and keys of a
// map, have that of the elements.
func (s *shown) member(name string) *shownMember {
	if s != nil && s.members[name] != nil {
		return s.members[name]
	}
	return &shownMember{shown: s.within()}
}

var showns = struct {
	sync.Mutex
	of map[reflect.Type]*shown // of structs
}{of: map[reflect.Type]*shown{}}

// shownOf returns the description of a type, and nil if there is none.
func shownOf(of reflect.Type) *shown {
	showns.Lock()
	defer showns.Unlock()
	return newShown(of)
}

func newShown(of reflect.Type) *shown {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch of.Kind() {
	case reflect.Slice, reflect.Map:
		return &shown{elem: newShown(of.Elem())}
	case reflect.Struct:
	default:
		return nil
	}
	s := showns.of[of]
	if s == nil {
		s = &shown{}
		showns.of[of] = s
		s.members = membersOf(of)
		if f, open := of.FieldByName("AdditionalProperties"); open && f.Type.Kind() == reflect.Map {
			s.elem = newShown(f.Type.Elem())
		}
	}
	return s
}

func membersOf(of reflect.Type) map[string]*shownMember {
	members := map[string]*shownMember{}
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "" || name == "-" {
			continue
		}
		m := &shownMember{shown: newShown(f.Type), bag: isBag(f)}
		if text, ok := f.Tag.Lookup("default"); ok {
			m.assumed, m.assumes = readValue([]byte(text)), true
		}
		members[name] = m
	}
	return members
}
