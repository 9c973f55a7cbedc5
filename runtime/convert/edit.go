package convert

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// edit is one conversion of an object's JSON. What it reads it copies to out as it stands, but for
// what a plan changes. Its methods that return a bool refuse with false what an object has to be
// made of; out is of no use then.
type edit struct {
	reader
	out []byte
	// down means that the object becomes one of an API version, whose status tells what bags hold,
	// byte by byte.
	down bool
	// stash is what goes to the property bags of the objects that are being read, the innermost
	// last.
	stash []stashed
	// aside is the value that was set aside, a JSON string.
	aside []byte
	// StatusPath is status.propertyBag as it was read, a JSON string; inStatus means that it may
	// come.
	statusBag []byte
	// bagged means that a property bag was written.
	bagged   bool
	inStatus bool
	// bagBytes counts the bytes of property bags that were read once more, since bags within bags
	// are read at each level.
	bagBytes int
	// between and hub are room for what is between two passes, and two conversions; gathered is
	// room for an object whose spec stood at the root.
	between, hub, gathered []byte
	// length is the length of the object in the text; zero while it is not known.
	length int
}

// stashed is the value of a member that goes to a property bag: it lies between two places in what
// is read. Key is the index of the key that it gets. Or took is a value that was taken out of the
// bag.
type stashed struct {
	to         *recastMember
	shape      *shape.Shape
	start, end int
	key        int
	took       []byte
}

// value edits a value that has objects in it.
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

// copy copies a value as it stands.
func (e *edit) copy(s *shape.Shape) bool {
	e.Peek()
	start := e.At
	if !e.conforms(s) {
		return false
	}
	e.out = append(e.out, e.Data[start:e.At]...)
	return true
}

// copyPlain copies a value in which only property bags change. Bags are rare: when it meets the
// first one of the object, it edits the value instead, and values behind it are edited at once.
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

// copied is follows, and writes the comma.
func (e *edit) copied(closing byte) (another, ok bool) {
	if another, ok = e.Follows(closing); another {
		e.out = append(e.out, ',')
	}
	return another, ok || e.cutOr(NotJSON)
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

// object edits an object: first what is live, then what comes out of its property bag, then what
// goes there.
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
	e.out = append(e.out, '{')
	m, mark := shape.MemberSet{Of: r.of}, len(e.stash)
	var bag foundBag
	var ok bool
	for another := !e.Take('}'); another; {
		if !e.next(r, &m, &bag) {
			return false
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
	return true
}

// foundBag is the property bag of an object, which begins at start in what is read; nil if none has
// come.
type foundBag struct {
	text  runtime.JSON
	start int
}

// next edits a member of an object. The property bag waits until the object ends.
func (e *edit) next(r *recast, m *shape.MemberSet, b *foundBag) bool {
	if f, again := e.expected(m); f != nil {
		return e.once(again) && e.known(f, r, m)
	}
	name, ok := e.plainName()
	switch {
	case !ok:
		return false
	case e.takesBags && r.of.HasBag && string(name) == bag.Name:
		return e.once(b.text != nil) && e.found(b)
	default:
		return e.field(r, m, name)
	}
}

// found reads a property bag, which comes last in its object.
func (e *edit) found(b *foundBag) (ok bool) {
	e.bags = true
	e.Peek()
	b.start = e.At
	if b.text, ok = e.raw(); !ok {
		return false
	}
	e.bagBytes += len(b.text)
	return e.allows(e.bagBytes <= maxBagBytes && isSmallBag(b.text), UnclearBag)
}

// maxBagBytes is how long the property bags of an object may be together, for a plan.
const maxBagBytes = 4 << 20

// rootDepth is how deep specs and statuses are nested.
const rootDepth = 2

// field edits a member of an object.
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

// unknown is the reason to refuse a member that its type lacks.
func unknown(name []byte) Refusal {
	if bag.IsLike(name, bag.Name) {
		return ReservedName
	}
	return UnknownMember
}

// ofStatus reads the bag of the status, which must be a string.
func (e *edit) ofStatus() (ok bool) {
	if e.statusBag, ok = e.raw(); !ok {
		return false
	}
	return e.allows(e.statusBag[0] == '"', DamagedStatusBag)
}

// known edits a member that has just been noted.
func (e *edit) known(f *shape.Field, r *recast, m *shape.MemberSet) bool {
	if isOdd(f, e.Peek()) {
		return e.odd(f)
	}
	to := &r.members[m.Next-1]
	switch to.fate {
	case asIs, kept:
		e.name(to.name)
		return e.value(f.Shape, to.inner)
	case stowed:
		return e.stow(f, to)
	case aside:
		if r.hidden {
			return e.refuse(UnknownMember)
		}
		e.Peek()
		start := e.At
		ok := e.conforms(f.Shape)
		e.aside = e.Data[start:e.At]
		return ok
	default:
		return e.conforms(f.Shape)
	}
}

// name begins a member, behind a comma where it is not the first. The name is JSON with its colon.
func (e *edit) name(name string) {
	e.begin()
	e.out = append(e.out, name...)
}

func (e *edit) begin() {
	if last := e.out[len(e.out)-1]; last != '{' && last != '[' {
		e.out = append(e.out, ',')
	}
}

// insert puts text into out.
func (e *edit) insert(at int, text []byte) {
	e.out = append(e.out, text...)
	copy(e.out[at+len(text):], e.out[at:len(e.out)-len(text)])
	copy(e.out[at:], text)
}
