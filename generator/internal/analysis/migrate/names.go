package migrate

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/plan"
)

// names finds properties of a plan by their names and paths. It indexes the properties of each
// type, so that finding all of them takes linear time.
type names struct {
	fields map[*plan.Struct]map[string]*plan.Field
	moves  map[*plan.Step]map[string]*plan.Move
}

func newNames() *names {
	return &names{map[*plan.Struct]map[string]*plan.Field{}, map[*plan.Step]map[string]*plan.Move{}}
}

// step returns the name of a property in the neighbouring version towards the hub.
func (n *names) step(kv *plan.KindVersion, path string) (string, bool) {
	root, rest, _ := strings.Cut(path, ".")
	far, near := rootOf(kv, root), rootOf(kv.Next(), root)
	if far == nil || near == nil {
		return "", false
	}
	t := far.Between(near)
	out := root
	for rest != "" {
		var name string
		name, rest, _ = strings.Cut(rest, ".")
		plain := strings.TrimSuffix(name, "[]")
		for strings.HasSuffix(plain, "[]") {
			plain = strings.TrimSuffix(plain, "[]")
		}
		from, to, step, ok := n.handed(far, near, t, plain)
		if !ok {
			return "", false
		}
		out += "." + to.Property.Name + strings.TrimPrefix(name, plain)
		if far, near, t = from.Type.Struct, to.Type.Struct, step; rest != "" && (far == nil || near == nil) {
			return "", false
		}
	}
	return out, true
}

// handed returns how a step converts a property.
func (n *names) handed(far, near *plan.Struct, t *plan.Step, name string) (from, to *plan.Field, step *plan.Step, ok bool) {
	if t == nil {
		from, to = n.field(far, name), n.field(near, name)
		return from, to, nil, from != nil && to != nil
	}
	if m := n.move(t, name); m != nil {
		return m.Far, m.Near, m.Step, true
	}
	return nil, nil, nil, false
}

// field returns the property of a type with a name; nil for none.
func (n *names) field(s *plan.Struct, name string) *plan.Field {
	all, known := n.fields[s]
	if !known {
		all = make(map[string]*plan.Field, len(s.Fields))
		for _, f := range s.Fields {
			all[f.Property.Name] = f
		}
		n.fields[s] = all
	}
	return all[name]
}

// move returns how a step converts the property with a name; nil if it does not.
func (n *names) move(t *plan.Step, name string) *plan.Move {
	all, known := n.moves[t]
	if !known {
		all = make(map[string]*plan.Move, len(t.Moves))
		for _, m := range t.Moves {
			if m.Action == plan.Keep {
				all[m.Far.Property.Name] = m
			}
		}
		n.moves[t] = all
	}
	return all[name]
}

func rootOf(kv *plan.KindVersion, name string) *plan.Struct {
	switch name {
	case "spec":
		return kv.Spec
	case "status":
		return kv.Status
	}
	return nil
}

// objectsAt returns the storage types of an object in a version and in its neighbour.
func (n *names) objectsAt(kv *plan.KindVersion, path string) (object, next *plan.Struct) {
	for ; path != ""; path = parent(path) {
		object, _ = n.structAt(kv, path)
		next, _ = n.structAt(kv.Next(), path)
		if object != nil && next != nil {
			return object, next
		}
	}
	return nil, nil
}

func (n *names) structAt(kv *plan.KindVersion, path string) (*plan.Struct, bool) {
	root, rest, _ := strings.Cut(path, ".")
	s := rootOf(kv, root)
	for rest != "" && s != nil {
		var name string
		name, rest, _ = strings.Cut(rest, ".")
		f := n.field(s, strings.TrimRight(name, "[]"))
		if f == nil {
			return nil, false
		}
		s = f.Type.Struct
	}
	return s, s != nil
}

// completes reports whether a hand-written step completes the conversion of an object, or of one
// around it, at a version's step.
func (n *names) completes(kv *plan.KindVersion, path string) bool {
	for ; path != ""; path = parent(path) {
		far, near := n.objectsAt(kv, path)
		if far == nil {
			continue
		}
		if t := far.Between(near); t != nil && t.ByHand() {
			return true
		}
	}
	return false
}
