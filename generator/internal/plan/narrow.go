package plan

import (
	"cmp"
	"go/types"

	"github.com/stratakube/strata/generator/internal/augmentation"
)

// dropNarrow removes the JSON plans of versions in which a Go type of the API has a smaller range
// than the hub's. An example is an int32 for the hub's int64. Such versions convert through Go
// objects, which detect values that do not fit. If the hub's type is the smaller one, another
// version can store values that neither the hub nor a third version can represent.
func (g *grouper) dropNarrow() {
	for _, k := range g.group.Kinds {
		hub, all := k.Hub(), false
		sized := map[*KindVersion]bool{}
		for _, kv := range k.Versions {
			if !kv.hasOtherSizes() && !hub.hasOtherSizes() {
				continue
			}
			n := narrowing{seen: map[sides]bool{}}
			n.object(specType(kv), specType(hub), narrowed{kv.Spec, kv.Spec.Between(hub.Spec)})
			n.object(statusType(kv), statusType(hub), narrowed{kv.Status, kv.Status.Between(hub.Status)})
			if kv.derives() { // the values of functions and operations are not known
				n.far, n.near, n.sized = n.far || kv.HasIntegers, n.near || hub.HasIntegers, n.sized || kv.HasIntegers
			}
			kv.Narrow, sized[kv], all = n.far, n.sized, all || n.near
		}
		for _, kv := range k.Versions {
			if kv.Narrow = kv.Narrow || all && sized[kv]; kv.Narrow {
				kv.JSONPlan, kv.Outline = nil, cmp.Or(kv.JSONPlan, kv.Outline)
			}
		}
	}
}

// derives reports whether steps between the version and the hub derive values.
func (k *KindVersion) derives() bool {
	hub, seen := k.Kind.Hub(), map[*Step]bool{}
	if k.Spec.Between(hub.Spec).derives(seen) {
		return true
	}
	return k.Status != nil && hub.Status != nil && k.Status.Between(hub.Status).derives(seen)
}

// hasOtherSizes reports whether API types can have numbers of other sizes than storage.
func (k *KindVersion) hasOtherSizes() bool { return k.Root() != nil || k.HasIntegers }

func specType(kv *KindVersion) types.Type {
	if r := kv.Root(); r != nil {
		return r.Spec.Type
	}
	return nil
}

func statusType(kv *KindVersion) types.Type {
	if r := kv.Root(); r != nil && r.Status != nil {
		return r.Status.Type
	}
	return nil
}

// narrowing compares the ranges of Go types of the API. It sets far if a type of the far side has a
// smaller range than that of the near side, or another one, and near in the opposite case. It sets
// sized if a type of the far side has a smaller range than storage.
type narrowing struct {
	far, near, sized bool
	seen             map[sides]bool
}

// sides are an object and its Go types on both sides.
type sides struct {
	narrowed
	far, near types.Type
}

// narrowed is an object and the step that converts it; the step is nil if both sides have the
// same storage type.
type narrowed struct {
	object *Struct
	step   *Step
}

// object compares the Go types of two objects, and of those that they contain. Types are nil where
// they are generated.
func (n *narrowing) object(far, near types.Type, at narrowed) {
	key := sides{at, far, near}
	if at.object == nil || n.seen[key] || n.far && n.near {
		return
	}
	n.seen[key] = true
	farFields, nearFields := fieldsOf(far), fieldsOf(near)
	for _, m := range at.kept() {
		x, y := farFields[m.far.Property.Name], nearFields[m.near.Property.Name]
		if far != nil && x == nil {
			continue // the author's type lacks it
		}
		a, b := classIn(x, m.far), classIn(y, m.near)
		if near != nil && y == nil {
			b = ""
		}
		n.sized = n.sized || a != ""
		if a != b {
			n.far, n.near = n.far || a != "", n.near || b != ""
		}
		n.object(augmentation.Innermost(x), augmentation.Innermost(y), m.within)
	}
}

// keptMember is a member that is handed over: its fields on both sides, and the objects that it
// contains.
type keptMember struct {
	far, near *Field
	within    narrowed
}

// kept returns the members that are handed over: all of them if both sides have the same storage
// type.
func (at narrowed) kept() []keptMember {
	var out []keptMember
	if at.step == nil {
		for _, f := range at.object.Fields {
			out = append(out, keptMember{f, f, narrowed{f.Type.Struct, nil}})
		}
		return out
	}
	for _, m := range at.step.Moves {
		if m.Action == Keep {
			out = append(out, keptMember{m.Far, m.Near, narrowed{m.Far.Type.Struct, m.Step}})
		}
	}
	return out
}

func fieldsOf(t types.Type) map[string]types.Type {
	if t == nil || augmentation.EncodesItself(t) {
		return nil
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	out := map[string]types.Type{}
	fields, _ := augmentation.Fields(s, "")
	for _, f := range fields {
		out[f.Name] = f.Type
	}
	return out
}

// classIn returns the class of a field's values in the API: that of the author's type, or that of
// the generated one if t is nil.
func classIn(t types.Type, f *Field) string {
	switch {
	case t != nil:
		return classOf(t)
	case f.API.Integer == types.Typ[types.Int].Name():
		return ""
	}
	return f.API.Integer
}

// classOf returns the class of a scalar type's values. It is empty for types that represent every
// value of the storage type.
func classOf(t types.Type) string {
	t = augmentation.Innermost(t)
	if t == nil {
		return ""
	}
	if augmentation.EncodesItself(t) {
		return types.TypeString(types.Unalias(t), nil)
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return ""
	}
	switch b.Kind() {
	case types.String, types.Bool, types.Int64, types.Int, types.Float64:
		return ""
	}
	return types.Typ[b.Kind()].Name() // byte is uint8
}
