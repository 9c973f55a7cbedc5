package conformance

import (
	"reflect"
	"strings"
	"sync"
)

// shown is what a type states about its JSON beyond what JSON shows: the types of members, and the
// values that are assumed where members are absent. A nil *shown says nothing.
type shown struct {
	elem    *shown // of a list or a map
	members map[string]*shownMember
}

type shownMember struct {
	*shown
	assumed any  // what an absent member is taken for
	assumes bool // whether it is taken for anything
	bag     bool // whether it is a property bag
}

// within is what the elements of a list or a map say.
func (s *shown) within() *shown {
	if s == nil {
		return nil
	}
	return s.elem
}

// member is what a member says. Further members of an open object, and keys of a map, have what the
// map's elements have.
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

// shownOf returns what a type says, nil for nothing.
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
