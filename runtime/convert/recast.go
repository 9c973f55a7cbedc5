package convert

import (
	"slices"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// recast reports how the JSON of objects of one shape becomes that of another, in one direction of
// a plan. Nil is for objects that stay as they are.
type recast struct {
	of *shape.Shape
	// members are in the order of the shape's fields.
	members []recastMember
	takings []taking
	// refusal is the reason why the plan converts none of these objects.
	refusal Refusal
	// disputed means that two members come out of the property bag under one key.
	disputed bool
	// hidden reports whether the member that is remembered is none of an API version.
	hidden bool
	// plain means that nothing changes in them but for what comes out of property bags.
	plain bool
}

// action is what becomes of a member.
type action uint8

const (
	// asIs leaves it where it is.
	asIs action = iota
	// kept gives it another name, or converts what is in it.
	kept
	// stowed puts it into the property bag.
	stowed
	// remembered drops it, and stores its value as the original version.
	remembered
)

// recastMember is what becomes of one member.
type recastMember struct {
	action action
	// name is the name that it gets, as JSON with its colon; renamed means that it is another.
	name    string
	renamed bool
	inner   *recast
	stow    []stowing
}

// stowing is a key of the property bag that a member goes to, and what converts the objects in it.
type stowing struct {
	// name is the key as JSON with its colon.
	name  string
	inner *recast
	// held is the shape of what inner makes.
	held    *shape.Shape
	refuses bool
}

// taking is a member that comes out of the property bag.
type taking struct {
	// name is its name as JSON with its colon.
	name string
	// live is the index of the member that replaces it; -1 for none.
	live int
	keys []takingKey
}

// takingKey is a key that a value is taken from, and what it must be: nil if no type of it is at
// hand. Inner converts the objects in it; then shape has only the lists and maps around them.
type takingKey struct {
	key   string
	shape *shape.Shape
	inner *recast
}

// recaster makes recasts of one direction of a plan.
type recaster struct {
	steps []Step
	up    bool
	held  map[int]*shape.Shape
	made  map[recastKey]*recast
}

type recastKey struct {
	step int
	from *shape.Shape
	to   *shape.Shape
}

// make returns the recast of a step between two shapes. The shape that it leads to is nil where no
// type is at hand, as for what lies in a property bag.
func (m *recaster) make(step int, from, to *shape.Shape) *recast {
	key := recastKey{step, from, to}
	if r, ok := m.made[key]; ok {
		return r
	}
	r := &recast{of: from, members: make([]recastMember, len(from.Fields))}
	if from.Kind != shape.Object || len(from.Fields) > shape.MaxFields {
		r.refusal = NoPlan
	}
	m.made[key] = r
	for i := range from.Fields {
		r.members[i].name = jsontext.QuotedName(from.Fields[i].Name)
	}
	for i := range m.steps[step] {
		m.move(r, &m.steps[step][i], to)
	}
	return r
}

func (m *recaster) move(r *recast, move *Move, to *shape.Shape) {
	src, dst, taken, stow := move.sides(m.up)
	i := -1
	if src != "" {
		i = r.of.Index([]byte(src), 0)
	}
	switch {
	case src == "*" || dst == "*":
		r.refusal = OpenObject
	case bag.IsLike(src, bag.Name) || bag.IsLike(dst, bag.Name):
		r.refusal = ReservedName
	case src != "" && i < 0:
		r.refusal = NoPlan
	case dst == "":
		r.members[i].stow, r.members[i].action = m.stowings(&r.of.Fields[i], stow), stowed
	case src != "":
		r.members[i].action, r.members[i].name, r.members[i].renamed = kept, jsontext.QuotedName(dst), dst != src
		if move.Step > 0 {
			r.members[i].inner = m.make(move.Step, innermost(r.of.Fields[i].Shape), objectIn(to, dst))
		}
	}
	if dst != "" && len(taken) > 0 {
		r.take(m.taking(dst, i, taken, to))
	}
}

func (r *recast) take(t taking) {
	for _, other := range r.takings {
		r.disputed = r.disputed || slices.ContainsFunc(other.keys, func(o takingKey) bool {
			return slices.ContainsFunc(t.keys, func(k takingKey) bool { return k.key == o.key })
		})
	}
	r.takings = append(r.takings, t)
}

// stowings returns where a member is stowed: under the key that is written, or, if that is taken,
// the first.
func (m *recaster) stowings(f *shape.Field, keys []Key) []stowing {
	out := []stowing{m.stowing(f, keys[0])}
	if i := slices.IndexFunc(keys, func(k Key) bool { return k.Written }); i > 0 {
		out = append([]stowing{m.stowing(f, keys[i])}, out...)
	}
	return out
}

func (m *recaster) stowing(f *shape.Field, k Key) stowing {
	s := stowing{name: jsontext.QuotedName(k.Name), refuses: len(k.Steps) > 1}
	if len(k.Steps) == 1 {
		s.held = m.held[k.Steps[0]]
		s.inner = m.make(k.Steps[0], innermost(f.Shape), s.held)
		s.refuses = s.held == nil
	}
	return s
}

func (m *recaster) taking(name string, live int, keys []Key, to *shape.Shape) taking {
	t := taking{name: jsontext.QuotedName(name), live: live}
	for _, k := range keys {
		key := takingKey{key: k.Name}
		switch f := memberOf(to, name); {
		case f == nil:
		case len(k.Steps) == 0:
			key.shape = f.Shape
		case len(k.Steps) == 1 && m.held[k.Steps[0]] != nil:
			key.shape, key.inner = f.Shape, m.make(k.Steps[0], m.held[k.Steps[0]], innermost(f.Shape))
		}
		t.keys = append(t.keys, key)
	}
	return t
}

// finish finds out which recasts are plain, when all are made.
func (m *recaster) finish() {
	for _, r := range m.made {
		r.plain = true
	}
	for changed := true; changed; {
		changed = false
		for _, r := range m.made {
			if r.plain && !r.isPlain() {
				r.plain, changed = false, true
			}
		}
	}
}

func (r *recast) isPlain() bool {
	for i := range r.members {
		m := &r.members[i]
		if m.action > kept || m.renamed || m.inner != nil && !m.inner.plain {
			return false
		}
	}
	return r.refusal == Converted
}

// objectIn returns the shape of the objects in a member; nil where there are none.
func objectIn(s *shape.Shape, name string) *shape.Shape {
	if f := memberOf(s, name); f != nil {
		return innermost(f.Shape)
	}
	return nil
}

// memberOf returns a member of a shape, which may be nil.
func memberOf(s *shape.Shape, name string) *shape.Field {
	if s == nil {
		return nil
	}
	return s.Member(name)
}

// innermost is the shape within pointers, lists and maps.
func innermost(s *shape.Shape) *shape.Shape {
	for s.Kind == shape.Pointer || s.Kind == shape.List || s.Kind == shape.Map {
		s = s.Elem
	}
	return s
}
