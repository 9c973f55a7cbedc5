package convert

import (
	"bytes"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/operation"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// value edits a value of shape s that contains objects. A nil r means that they do not change.
func (e *edit) value(s *shape.Shape, r *recast) bool {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	switch {
	case r == nil:
		return e.copy(s)
	case r.plain && !e.bags:
		return e.copyPlain(s, r)
	case s.Kind == shape.Object:
		return e.object(r)
	case s.Kind == shape.List:
		return e.elements(s, r)
	case s.Kind == shape.Map:
		return e.entries(s, r)
	default:
		return e.refuse(WrongType)
	}
}

// copyPlain copies a value in which only property bags change. Most objects have no bag. If
// copyPlain meets the first bag of the object, it edits the value instead. Later values are then
// edited from the beginning.
func (e *edit) copyPlain(s *shape.Shape, r *recast) bool {
	at, depth, mark := e.At, e.depth, len(e.out)
	ok := e.copy(s)
	if !e.bags || e.refusal == Canceled {
		return ok
	}
	e.At, e.depth, e.out, e.refusal = at, depth, e.out[:mark], Converted
	return e.value(s, r)
}

func (e *edit) elements(s *shape.Shape, r *recast) bool {
	if !e.Take('[') {
		return e.mismatch(e.At)
	}
	if !e.enter() {
		return false
	}
	e.out = append(e.out, '[')
	var ok bool
	for another := !e.Take(']'); another; {
		if !e.value(s.Elem, r) {
			return false
		}
		if another, ok = e.copied(']'); !ok {
			return false
		}
	}
	e.out = append(e.out, ']')
	e.leave()
	return true
}

func (e *edit) entries(s *shape.Shape, r *recast) bool {
	if !e.Take('{') {
		return e.mismatch(e.At)
	}
	if !e.enter() {
		return false
	}
	e.out = append(e.out, '{')
	var ok bool
	for another := !e.Take('}'); another; {
		e.Peek()
		start := e.At
		if !e.key() {
			return false
		}
		e.out = append(e.out, e.Data[start:e.At]...)
		if !e.value(s.Elem, r) {
			return false
		}
		if another, ok = e.copied('}'); !ok {
			return false
		}
	}
	e.out = append(e.out, '}')
	e.leave()
	return true
}

// object edits an object. It writes the live members first, then the values from its property
// bag, and then the new property bag.
func (e *edit) object(r *recast) bool {
	if r.refusal != Converted {
		return e.refuse(r.refusal)
	}
	if !e.Take('{') {
		return e.mismatch(e.At)
	}
	if !e.enter() {
		return false
	}
	start, at := e.At-1, len(e.out)
	e.out = append(e.out, '{')
	m, mark := shape.MemberSet{Of: r.of}, len(e.stash)
	var bag foundBag
	var ok bool
	listsLong := e.listsLong
	e.listsLong = false
	for another := !e.Take('}'); another; {
		before := len(e.out)
		if !e.next(r, &m, &bag) {
			return false
		}
		if listsLong && len(e.out)-before >= jsontext.LongValue {
			e.long = append(e.long, jsontext.Range{Start: before, End: len(e.out)})
		}
		if another, ok = e.Follows('}'); !ok {
			return e.cutOr(NotJSON)
		}
	}
	e.leave()
	if !e.allows(m.IsComplete(), MissingMember) || !e.recall(r, &m, bag) || !e.bag(bag.text, mark) {
		return false
	}
	e.out = append(e.out, '}')
	return r.changes == nil || e.change(r, e.Data[start:e.At], at)
}

// convertParts converts the section of an object through several steps, each with its own types.
func (e *edit) convertParts(parts []*recast) bool {
	mark := len(e.out)
	if !e.object(parts[0]) {
		return false
	}
	source, takesBags, inStatus := e.Cursor, e.takesBags, e.inStatus
	e.takesBags, e.bags, e.inStatus = true, true, false
	ok := true
	for i := 1; ok && i < len(parts); i++ {
		e.Data, e.At = bytes.Clone(e.out[mark:]), 0
		e.out = e.out[:mark]
		ok = e.object(parts[i])
	}
	e.Cursor, e.takesBags, e.inStatus = source, takesBags, inStatus // also if a part refuses
	return ok
}

// next edits a member of an object. The property bag is edited at the end of the object.
func (e *edit) next(r *recast, m *shape.MemberSet, b *foundBag) bool {
	if f, again := e.expected(m); f != nil {
		return e.once(again) && e.known(f, r, m)
	}
	name, ok := e.plainName()
	if !ok {
		return false
	}
	switch {
	case e.takesBags && r.of.HasBag && string(name) == bag.Name:
		return e.once(b.text != nil) && e.found(b)
	default:
		return e.field(r, m, name)
	}
}

// field edits the member with a name, which is not one of the expected fields.
func (e *edit) field(r *recast, m *shape.MemberSet, name []byte) bool {
	f, again := m.Find(name)
	switch {
	case f != nil:
		return e.once(again) && e.known(f, r, m)
	case e.inStatus && e.depth == rootDepth && string(name) == "propertyBag":
		return e.once(e.statusBag != nil) && e.ofStatus()
	default:
		return e.refuse(unknown(name))
	}
}

// rootDepth is the nesting depth of the members of spec and status.
const rootDepth = 2

// unknown returns the reason to refuse a member that the type lacks.
func unknown(name []byte) Refusal {
	if bag.IsLike(name, bag.Name) {
		return ReservedName
	}
	return UnknownMember
}

// ofStatus reads status.propertyBag, which must be a string.
func (e *edit) ofStatus() (ok bool) {
	if e.statusBag, ok = e.raw(); !ok {
		return false
	}
	e.statusBagEnd = e.At
	return e.allows(e.statusBag[0] == '"', DamagedStatusBag)
}

// known edits a member that m has just recorded.
func (e *edit) known(f *shape.Field, r *recast, m *shape.MemberSet) bool {
	if isOdd(f, e.Peek()) {
		return e.odd(f)
	}
	to := &r.members[m.Next-1]
	switch to.action {
	case asIs, kept:
		e.name(to.name)
		if to.values != nil {
			return e.renamed(f.Shape, to.values)
		}
		return e.value(f.Shape, to.inner)
	case stowed:
		return e.stow(f, to)
	case remembered:
		if r.hidden {
			return e.refuse(UnknownMember)
		}
		e.Peek()
		start := e.At
		ok := e.conforms(f.Shape)
		e.originalText = e.Data[start:e.At]
		return ok
	default:
		return e.conforms(f.Shape)
	}
}

// renamed writes a value whose strings have other names in the result.
func (e *edit) renamed(s *shape.Shape, names *operation.Operation) bool {
	e.Peek()
	start := e.At
	if !e.conforms(s) {
		return false
	}
	e.out = append(e.out, names.Apply(e.Data[start:e.At], nil)...)
	return true
}

// bag writes the property bag of an object: the entries of had that were not taken, and the
// stashed values.
func (e *edit) bag(had []byte, mark int) bool {
	if had == nil && len(e.stash) == mark {
		return true
	}
	at := len(e.out)
	e.name(`"` + bag.Name + `":`)
	e.out = append(e.out, '{')
	empty := len(e.out)
	for i := mark; i < len(e.stash); i++ {
		if s := &e.stash[i]; s.took == nil && !e.choose(had, mark, i) {
			return false
		}
	}
	e.left(had, mark)
	for i := mark; i < len(e.stash); i++ {
		if s := e.stash[i]; s.took == nil {
			e.name(s.to.stow[s.key].name)
			at := len(e.out)
			if !e.again(s, s.to.stow[s.key].inner) || e.exact && !e.rewrite(at, s.shape, s.to.stow[s.key].stored) {
				return false
			}
		}
	}
	e.unstash(mark)
	if len(e.out) == empty {
		e.out = e.out[:at]
		return true
	}
	e.out, e.bagged = append(e.out, '}'), true
	return e.isWithin()
}

// again edits a stashed value, which was stepped over before.
func (e *edit) again(s stashed, r *recast) bool {
	if r == nil {
		e.out = append(e.out, e.Data[s.start:s.end]...)
		return true
	}
	at := e.At
	e.At = s.start
	ok := e.value(s.shape, r)
	e.At = at
	return ok
}

// recall writes the members that the target shape has and the property bag stores. Live members
// have precedence over the bag.
func (e *edit) recall(r *recast, m *shape.MemberSet, bag foundBag) bool {
	if bag.text == nil {
		return true
	}
	for i := range r.takings {
		t := &r.takings[i]
		if t.live >= 0 && m.Has(t.live) {
			continue
		}
		key, value, at := t.find(bag.text)
		if value == nil {
			continue
		}
		if !e.allows(key.shape != nil, SeveralSteps) || !e.allows(!r.disputed && value[0] != 'n', UnclearBag) {
			return false
		}
		e.name(t.name)
		if !e.from(bag.start+at, key) {
			return false
		}
		e.stash = append(e.stash, stashed{took: value})
	}
	return true
}

// from edits the value at start, which was stepped over before.
func (e *edit) from(start int, key *takingKey) bool {
	at := e.At
	e.At = start
	var ok bool
	if key.inner == nil {
		ok = e.copy(key.shape)
	} else {
		ok = e.value(key.shape, key.inner)
	}
	e.At = at
	return ok
}
