package plan

import (
	"go/types"

	"github.com/stratakube/strata/generator/internal/augmentation"
)

// dropNarrow removes the JSON plans of versions in which an author's Go type has a smaller range
// than the hub's. An example is an int32 for the hub's int64. Such versions convert through Go
// objects, which detect values that do not fit.
func (g *grouper) dropNarrow() {
	for _, k := range g.group.Kinds {
		hub := k.Hub()
		for _, kv := range k.Versions {
			if kv.Root() == nil {
				continue
			}
			n := narrowing{seen: map[narrowed]bool{}}
			if n.object(specType(kv), specType(hub), narrowed{kv.Spec, kv.Spec.Between(hub.Spec)}) ||
				n.object(statusType(kv), statusType(hub), narrowed{kv.Status, kv.Status.Between(hub.Status)}) {
				kv.JSONPlan = nil
			}
		}
	}
}

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

// narrowing compares the ranges of the author's types.
type narrowing struct{ seen map[narrowed]bool }

// narrowed is an object and the step that converts it; the step is nil if both sides have the
// same storage type.
type narrowed struct {
	object *Struct
	step   *Step
}

// object reports whether an object's Go type, or one that it contains, has a smaller range than
// the near one. Types are nil where they are generated.
func (n narrowing) object(far, near types.Type, at narrowed) bool {
	if at.object == nil || n.seen[at] {
		return false
	}
	n.seen[at] = true
	farFields, nearFields := fieldsOf(far), fieldsOf(near)
	for _, m := range at.kept() {
		x, y := farFields[m.far], nearFields[m.near]
		if x == nil {
			continue
		}
		if class := classOf(x); class != "" && class != classOf(y) {
			return true
		}
		if n.object(augmentation.Innermost(x), augmentation.Innermost(y), m.within) {
			return true
		}
	}
	return false
}

// keptMember is a member that is handed over: its names on both sides, and the objects that it
// contains.
type keptMember struct {
	far, near string
	within    narrowed
}

// kept returns the members that are handed over: all of them if both sides have the same storage
// type.
func (at narrowed) kept() []keptMember {
	var out []keptMember
	if at.step == nil {
		for _, f := range at.object.Fields {
			out = append(out, keptMember{f.Property.Name, f.Property.Name, narrowed{f.Type.Struct, nil}})
		}
		return out
	}
	for _, m := range at.step.Moves {
		if m.Action == Keep {
			out = append(out, keptMember{m.Far.Property.Name, m.Near.Property.Name, narrowed{m.Far.Type.Struct, m.Step}})
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
	return b.Name()
}
