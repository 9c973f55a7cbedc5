package conformance

import (
	"reflect"
	"strings"
)

// retyped has the members that differ in type between the versions of a kind, as in
// CartSpec.tags. Structs of different versions are matched by name.
type retyped map[string]bool

// compare adds the members that have other types in two versions. If a version lacks a member and
// has a new one, the member may have been renamed.
func (r retyped) compare(one, other map[string]map[string]string) {
	for object, members := range one {
		theirs, known := other[object]
		renames := !known || hasNew(theirs, members)
		for name, spelled := range members {
			if is, found := theirs[name]; found && is != spelled || !found && renames {
				r[object+"."+name] = true
			}
		}
	}
}

func hasNew(members, than map[string]string) bool {
	for name := range members {
		if _, found := than[name]; !found {
			return true
		}
	}
	return false
}

// mark sets retyped in the fields of an object and of the objects within it.
func (r retyped) mark(o *object, seen map[*object]bool) {
	if seen[o] {
		return
	}
	seen[o] = true
	for i := range o.fields {
		f := &o.fields[i]
		f.retyped = o.of != nil && r[o.of.Name()+"."+f.tag]
		if inner, _ := objectIn(f.node); inner != nil {
			r.mark(inner, seen)
		}
	}
}

// spellTypes adds the members of all structs within a type, with their types, by the names of the
// structs.
func spellTypes(types map[string]map[string]string, of reflect.Type) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		spellTypes(types, of.Elem())
		return
	case reflect.Struct:
	default:
		return
	}
	if types[of.Name()] != nil || strings.HasPrefix(of.PkgPath(), "k8s.io/") {
		return
	}
	members := map[string]string{}
	types[of.Name()] = members
	for i := range of.NumField() {
		if f := of.Field(i); f.IsExported() {
			members[jsonName(f)] = spellType(f.Type)
			spellTypes(types, f.Type)
		}
	}
}

// spellType returns the name of a type without packages, so that it is the same in all versions.
func spellType(of reflect.Type) string {
	switch {
	case of.Kind() == reflect.Pointer:
		return spellType(of.Elem())
	case isFree(of) || of.Name() != "":
		return of.Name()
	case of.Kind() == reflect.Slice:
		return "[]" + spellType(of.Elem())
	case of.Kind() == reflect.Map:
		return "map " + spellType(of.Elem())
	default:
		return of.Kind().String()
	}
}
