package model

import (
	"reflect"

	"github.com/google/go-cmp/cmp"
)

// failer is the common interface of *testing.T and *rapid.T.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// same fails unless the models are equal, and every reference of the second refers to a
// definition of its own version.
func same(t failer, want, got []*Resource) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		byName := cmp.Comparer(func(a, b *Ref) bool { return a.Def.Name == b.Def.Name })
		t.Errorf("models differ (-want +got):\n%s", cmp.Diff(want, got, byName))
	}
	for _, r := range got {
		for _, v := range r.Versions {
			eachRef(v, func(ref *Ref) {
				if v.Def(ref.Def.Name) != ref.Def {
					t.Errorf("version %q: a reference to %q leads out of the version", v.Name, ref.Def.Name)
				}
			})
		}
	}
}

func eachRef(v *Version, visit func(*Ref)) {
	var walk func(types ...Type)
	walk = func(types ...Type) {
		for _, t := range types {
			switch t := t.(type) {
			case *Ref:
				visit(t)
			case *List:
				walk(t.Elem)
			case *Map:
				walk(t.Elem)
			case *OneOf:
				walk(t.Branches...)
			case *AllOf:
				walk(t.Parts...)
			case *Object:
				walk(t.Additional)
				for _, p := range t.Properties {
					walk(p.Type)
				}
			}
		}
	}
	walk(v.Spec, v.Status)
	for _, d := range v.Defs {
		walk(d.Type)
	}
}

// ledger prints a resource, with each definition that an earlier version also has as a reference
// to the first such version.
func ledger(r *Resource) string {
	text := string(Print(r.Head()))
	for i, v := range r.Versions {
		text += string(AppendVersion(nil, v, 1, func(d *Def) string {
			for _, earlier := range r.Versions[:i] {
				e := r.Version(earlier.Name).Def(d.Name)
				if e != nil && string(AppendDef(nil, e)) == string(AppendDef(nil, d)) {
					return earlier.Name
				}
			}
			return ""
		}))
	}
	return text
}
