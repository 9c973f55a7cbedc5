package plan

import (
	"go/types"

	"github.com/stratakube/strata/generator/internal/own"
)

// dropNarrow leaves out the notations of versions in which people wrote a type that holds
// less than the hub's does, as an int32 where the hub has an int64: there objects are
// made, which find out what does not fit.
func (g *grouper) dropNarrow() {
	for _, k := range g.group.Kinds {
		hub := k.Hub()
		for _, kv := range k.Versions {
			if kv.Notation == nil || kv.Root() == nil || kv == hub {
				continue
			}
			n := narrowing{seen: map[[2]*Struct]bool{}}
			if n.object(specType(kv), specType(hub), kv.Spec, hub.Spec) || n.object(statusType(kv), statusType(hub), kv.Status, hub.Status) {
				kv.Notation = nil
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

// narrowing compares what people's types hold.
type narrowing struct{ seen map[[2]*Struct]bool }

// object tells whether an object's Go type holds less anywhere than the near one does;
// types are nil where they are generated.
func (n narrowing) object(far, near types.Type, farStruct, nearStruct *Struct) bool {
	key := [2]*Struct{farStruct, nearStruct}
	if far == nil || farStruct == nil || nearStruct == nil || n.seen[key] {
		return false
	}
	n.seen[key] = true
	farFields, nearFields := fieldsOf(far), fieldsOf(near)
	for _, pair := range kept(farStruct, nearStruct) {
		x, y := farFields[pair[0].Property.Name], nearFields[pair[1].Property.Name]
		if x == nil {
			continue
		}
		if class := classOf(x); class != "" && class != classOf(y) {
			return true
		}
		if n.object(innermost(x), innermost(y), pair[0].Type.Struct, pair[1].Type.Struct) {
			return true
		}
	}
	return false
}

// kept are the fields that are handed over between two structs.
func kept(far, near *Struct) (pairs [][2]*Field) {
	step := far.Between(near)
	if step != nil {
		for _, m := range step.Moves {
			if m.Action == Keep {
				pairs = append(pairs, [2]*Field{m.Far, m.Near})
			}
		}
		return pairs
	}
	for _, f := range far.Fields {
		for _, g := range near.Fields {
			if f.Property.Name == g.Property.Name {
				pairs = append(pairs, [2]*Field{f, g})
			}
		}
	}
	return pairs
}

func fieldsOf(t types.Type) map[string]types.Type {
	if t == nil || own.EncodesItself(t) {
		return nil
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	out := map[string]types.Type{}
	fields, _ := own.Fields(s, "")
	for _, f := range fields {
		out[f.Name] = f.Type
	}
	return out
}

// innermost is what stands in pointers, lists and maps; nil for nil.
func innermost(t types.Type) types.Type {
	if t == nil || own.EncodesItself(t) {
		return t
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return innermost(u.Elem())
	case *types.Slice:
		return innermost(u.Elem())
	case *types.Map:
		return innermost(u.Elem())
	}
	return t
}

// classOf tells what a type of scalars holds: nothing for what holds all that storage does.
func classOf(t types.Type) string {
	t = innermost(t)
	if t == nil {
		return ""
	}
	if own.EncodesItself(t) {
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
