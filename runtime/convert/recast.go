package convert

import (
	"slices"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/declared"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/operation"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// recast describes the conversion of objects of one shape to another, in one direction of a plan.
// A nil recast means that the objects do not change.
type recast struct {
	of *shape.Shape
	// members are in the order of the shape's fields.
	members []recastMember
	takings []taking
	// refusal is the reason why the plan converts none of these objects.
	refusal Refusal
	// disputed means that two members are read from the property bag under one key.
	disputed bool
	// hidden means that the remembered member does not belong to an API version.
	hidden bool
	// changes are the declared changes of the object; nil for none. parts are the recasts of the
	// steps of a sequence, in the order of the direction; nil for a step with moves.
	changes *changing
	parts   []*recast
	// plain means that only values from property bags change these objects.
	plain bool
}

// action is the treatment of a member.
type action uint8

const (
	// asIs copies the member.
	asIs action = iota
	// kept renames the member, or converts the objects in it.
	kept
	// stowed moves the member to the property bag.
	stowed
	// remembered drops it, and stores its value as the original version.
	remembered
)

// recastMember describes the treatment of one member.
type recastMember struct {
	action action
	// name is the new name, as JSON with its colon. renamed means that it differs from the old
	// one.
	name    string
	renamed bool
	inner   *recast
	stow    []stowing
	// values gives strings other names; nil for none.
	values *operation.Operation
}

// stowing is a key of the property bag for a member, and the recast of the objects in its value.
type stowing struct {
	// name is the key as JSON with its colon.
	name  string
	inner *recast
	// stored is the shape of the objects that inner results in.
	stored  *shape.Shape
	refuses bool
}

// taking is a member that is read from the property bag.
type taking struct {
	// name is the name of the member, as JSON with its colon.
	name string
	// live is the index of the member that has precedence over the bag; -1 for none.
	live int
	keys []takingKey
}

// takingKey is a key of the property bag, and the shape of its value. The shape is nil if the
// plan has no type for the value. Inner converts the objects in the value; then shape matters
// only for the lists and maps around them.
type takingKey struct {
	key   string
	shape *shape.Shape
	inner *recast
}

// recaster makes the recasts for one direction of a plan.
type recaster struct {
	steps     []Step
	up        bool
	stored    map[int]*shape.Shape
	changes   []Change
	sequences []shapedSequence
	made      map[recastKey]*recast
}

// shapedSequence is a [Sequence] with the shapes of the types between its parts.
type shapedSequence struct {
	step    int
	parts   []int
	between []*shape.Shape
}

type recastKey struct {
	step int
	from *shape.Shape
	to   *shape.Shape
}

// make returns the recast of a step between two shapes. To is nil if the plan has no type for the
// result, as for values of a property bag.
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
	if m.sequence(r, step, to) {
		return r
	}
	for i := range from.Fields {
		r.members[i].name = jsontext.QuotedName(from.Fields[i].Name)
	}
	for i := range m.steps[step] {
		m.move(r, &m.steps[step][i], to)
	}
	m.addChanges(r, step, to)
	return r
}

// sequence makes the recasts of a sequence. It reports false for a step with moves.
func (m *recaster) sequence(r *recast, step int, to *shape.Shape) bool {
	i := slices.IndexFunc(m.sequences, func(s shapedSequence) bool { return s.step == step })
	if i < 0 {
		return false
	}
	steps, shapes := slices.Clone(m.sequences[i].parts), slices.Clone(m.sequences[i].between)
	if !m.up {
		slices.Reverse(steps)
		slices.Reverse(shapes)
	}
	from := r.of
	for i, next := range append(shapes, to) {
		r.parts = append(r.parts, m.make(steps[i], from, next))
		from = next
	}
	return true
}

// addChanges adds the declared changes of a step to its recast.
func (m *recaster) addChanges(r *recast, step int, to *shape.Shape) {
	for i := range m.changes {
		c := &m.changes[i]
		if c.Step != step {
			continue
		}
		if to == nil || !to.HasBag || !hasPath(m.side(c, true), r.of) || !hasPath(m.side(c, false), to) {
			r.refusal = NoPlan
			return
		}
		if r.changes == nil {
			r.changes = &changing{up: m.up, to: to}
		}
		if c.Moves {
			r.changes.moves = append(r.changes.moves, &c.Property)
		} else {
			r.changes.inner = append(r.changes.inner, c)
		}
	}
}

// side returns where the property of a change is in the source of the direction, or in the result.
func (m *recaster) side(c *Change, source bool) declared.MovedEnd {
	if m.up == source {
		return c.Property.Far
	}
	return c.Property.Near
}

// hasPath reports whether a shape has the members on the path of a property.
func hasPath(end declared.MovedEnd, s *shape.Shape) bool {
	for _, name := range end.Path {
		f := memberOf(s, name)
		if f == nil {
			return false
		}
		s = f.Shape.Object()
	}
	return true
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
		if len(move.Values) > 0 {
			r.members[i].values = move.renames(m.up)
		}
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

// stowings returns the keys for a member: the key with Written, if that is not the first, and
// then the first.
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
		s.stored = m.stored[k.Steps[0]]
		s.inner = m.make(k.Steps[0], innermost(f.Shape), s.stored)
		s.refuses = s.stored == nil
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
		case len(k.Steps) == 1 && m.stored[k.Steps[0]] != nil:
			key.shape, key.inner = f.Shape, m.make(k.Steps[0], m.stored[k.Steps[0]], innermost(f.Shape))
		}
		t.keys = append(t.keys, key)
	}
	return t
}

// finish determines which recasts are plain. It is called once all recasts are made.
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
		if m.action > kept || m.renamed || m.values != nil || m.inner != nil && !m.inner.plain {
			return false
		}
	}
	return r.refusal == Converted && r.changes == nil && r.parts == nil
}

// objectIn returns the shape of the objects in a member, and nil if it has none.
func objectIn(s *shape.Shape, name string) *shape.Shape {
	if f := memberOf(s, name); f != nil {
		return innermost(f.Shape)
	}
	return nil
}

// memberOf returns a member of a shape. The shape may be nil.
func memberOf(s *shape.Shape, name string) *shape.Field {
	if s == nil {
		return nil
	}
	return s.Member(name)
}

// innermost returns the shape within pointers, lists and maps.
func innermost(s *shape.Shape) *shape.Shape {
	for s.Kind == shape.Pointer || s.Kind == shape.List || s.Kind == shape.Map {
		s = s.Elem
	}
	return s
}
