package conformance

import (
	"reflect"
	"strings"
)

// retyped are the members that do not have the same type in all versions of a kind, as in
// CartSpec.tags. Versions are compared by the names of their structs.
type retyped map[string]bool

// compare finds the members that two versions have in other types. One that a version lacks may
// have another name there if that version has a member that is new.
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

// mark notes the fields that are retyped in an object, and in those within.
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

// spellTypes lists the members of all structs within a type with their types, by their names.
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

// spellType spells a type as all versions would: without their packages.
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
