package declared

import (
	"errors"
	"slices"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/operation"
)

// Moved describes a property that another object has on the other side of a step. ID identifies
// it in bags. To converts its value from the far side to the near side, and From is the inverse.
type Moved struct {
	ID        string
	Far, Near MovedEnd
	To, From  operation.Operation
}

// MovedEnd is where the property is on one side, and where a bag of the other side has its value.
// Path leads from the object of the step to the property. Objects are the first members of Path,
// with their names on the other side: they lead to the object whose bag has an entry under Key.
// Within leads from the entry to the property. It is empty if the property is the entry.
type MovedEnd struct {
	Path, Objects []string
	Key           string
	Within        []string
}

// MoveTo converts properties that move to other objects. The engine has converted all other members
// of far to near. So near's property is restored from the bag on far's side, and far's property is
// in the bag on near's side.
//
// MoveTo creates the objects around near's property that far's side lacks. It does not create
// others: then the value stays in the bag. If an edit adds such an object later, it does not get
// the value either, because the editor left the property out.
func MoveTo(far, near Object, all ...*Moved) error {
	there := make(movements, len(all))
	for i, m := range all {
		there[i] = &movement{id: m.ID, src: movedEnd{m.Far, far}, dst: movedEnd{m.Near, near}, to: m.To, from: m.From}
	}
	err := there.run()
	for _, m := range there {
		m.leave(movedRecord{IsAbsent: m.stays, Objects: m.emptied})
		m.putBack()
	}
	return err
}

// MoveFrom is [MoveTo] in the other direction. It begins with the last property, so that each finds
// the objects around it as MoveTo left them.
func MoveFrom(far, near Object, all ...*Moved) error {
	back := make(movements, len(all))
	for i, m := range all {
		back[len(all)-1-i] = &movement{id: m.ID, src: movedEnd{m.Near, near}, dst: movedEnd{m.Far, far}, to: m.From, from: m.To}
	}
	err := back.run()
	for _, m := range back {
		n := movedRecord{IsAbsent: m.stays, Objects: m.emptied, Before: back.replaced(m), Record: m.record}
		if jsontext.MemberOf(n.Record, "objects") != nil {
			n.Around = m.src.stored(m.dst.of)
		}
		m.leave(n)
	}
	return err
}

// movements are the properties of one step that move.
type movements []*movement

// run converts all properties, and returns the errors of all.
func (all movements) run() error {
	for _, m := range all {
		m.recall()
	}
	var err error
	for _, m := range all {
		err = errors.Join(err, m.run())
	}
	return err
}

// movedEnd is a [MovedEnd] of an object.
type movedEnd struct {
	MovedEnd
	of Object
}

// parents are the names of the objects around the property.
func (e movedEnd) parents() []string { return e.Path[:len(e.Path)-1] }

// json returns the property's JSON; nil if it is absent.
func (e movedEnd) json() runtime.JSON { return e.of.Value(e.Path) }

// whole returns the JSON of the value that the other side's bag stores: the property, or the object
// around it that the other side lacks.
func (e movedEnd) whole() runtime.JSON { return e.of.Value(e.Path[:len(e.Objects)+1]) }

// hasParent reports whether the objects around the property exist that both sides have.
func (e movedEnd) hasParent() bool { return e.of.Has(e.Path[:len(e.Objects)]) }

// set sets the property, and creates the objects around it. Nil removes the property, and objects
// that only this side has if they are empty then.
func (e movedEnd) set(value runtime.JSON) error {
	if value == nil {
		e.remove()
		return nil
	}
	return e.of.Set(e.Path, value)
}

func (e movedEnd) remove() {
	e.of.Remove(e.Path)
	for n := len(e.parents()); n > len(e.Objects) && e.of.IsEmpty(e.Path[:n]); n-- {
		e.of.Remove(e.Path[:n])
	}
}

// entry returns the bag entry of the other side's object for the property; nil if there is none.
func (e movedEnd) entry(other Object) runtime.JSON {
	if b := other.Bag(e.Objects); b != nil {
		return jsontext.Present((*b)[e.Key])
	}
	return nil
}

// store sets the bag entry of the other side's object for the property.
func (e movedEnd) store(other Object, value runtime.JSON) {
	if b := other.Bag(e.Objects); b != nil {
		bag.Set(b, e.Key, value)
	}
}

// drop removes the property from the bag entry, and the objects around it that are empty then. The
// outermost objects of the given number stay.
func (e movedEnd) drop(other Object, stay int) {
	entry := e.entry(other)
	if entry == nil {
		return
	}
	e.store(other, without(entry, e.Within, stay))
}

// around returns how many objects exist around the property that only this side has.
func (e movedEnd) around() int {
	n := len(e.Objects)
	for n < len(e.parents()) && e.of.Has(e.Path[:n+1]) {
		n++
	}
	return n - len(e.Objects)
}

// stored is around for the objects of the bag entry.
func (e movedEnd) stored(other Object) int {
	n, entry := 0, e.entry(other)
	for i := 0; entry != nil && i < len(e.Within); i++ {
		if i == 0 || e.Within[i-1] != bag.Name {
			n++
		}
		entry = jsontext.Present(jsontext.MemberOf(entry, e.Within[i]))
	}
	return n
}

// remain returns how many of the objects that around counts have another member than the property,
// or an object with one.
func (e movedEnd) remain() int {
	n := 0
	left := without(e.whole(), e.Path[len(e.Objects)+1:], 0)
	for _, name := range e.Path[len(e.Objects)+1:] {
		if left == nil {
			break
		}
		left = jsontext.Present(jsontext.MemberOf(left, name))
		n++
	}
	return n
}

// without returns JSON without the value at a path; nil if nothing is left, and none of the objects
// around the value must stay.
func without(value runtime.JSON, path []string, stay int) runtime.JSON {
	if len(path) == 0 {
		return nil
	}
	out, found := runtime.JSON{'{'}, false
	jsontext.EachMember(value, func(name []byte, of runtime.JSON) {
		if string(name) == path[0] {
			if found = true; jsontext.Present(of) == nil {
				return
			}
			inner, isBag := stay-1, path[0] == bag.Name
			if isBag {
				inner = stay
			}
			if of = without(of, path[1:], inner); of == nil || isBag && len(of) == len("{}") {
				return
			}
		}
		out = append(append(jsontext.AppendText(jsontext.Separate(out), string(name)), ':'), of...)
	})
	switch {
	case !found:
		return value
	case len(out) == 1 && stay <= 0:
		return nil
	}
	return append(out, '}')
}

// movedRecord is what a bag records under the ID of a property that moves, for the step in the
// other direction. Values is the sum of the value with the objects around it. If these are
// unedited, that step leaves the property absent if IsAbsent is set. If its result has the sum Made
// too, it sets the bag entry to Before, and puts back Record, which is what the bag recorded
// before.
//
// Objects is the number of objects around the value that a client wrote without any member. The
// other direction leaves them in the bag entry, edited or not. Around is the number of objects in
// that entry, if the Record has Objects. If it has changed, these count no longer.
type movedRecord struct {
	Values   string       `json:"values"`
	Made     string       `json:"made,omitempty"`
	Before   runtime.JSON `json:"before,omitempty"`
	IsAbsent bool         `json:"absent,omitempty"`
	Record   runtime.JSON `json:"note,omitempty"`
	Objects  int          `json:"objects,omitempty"`
	Around   int          `json:"around,omitempty"`
}

// movement is one direction of a [Moved].
type movement struct {
	id       string
	src, dst movedEnd
	to, from operation.Operation
	recorded *movedRecord // by the other direction; nil if src's property was edited since
	record   runtime.JSON // in dst's bag before
	around   int          // the objects around dst's property before
	stay     int          // the objects around src's property that stay in the bag
	stays    bool         // see run
	emptied  int          // the objects around dst's property to note, see [kept]
}

// recall reads the record of the other direction, before any property of the step moves.
func (m *movement) recall() {
	m.record = jsontext.Present((*m.dst.of.Bag(nil))[m.key()])
	m.around = m.dst.around()
	if m.recorded = Take[movedRecord](m.dst.of.Bag(nil), m.key()); m.recorded == nil {
		return
	}
	if m.stay = m.recorded.Objects; m.recorded.Values != Sum(m.src.whole()) {
		m.recorded = nil
	}
}

// run converts the property of src to that of dst, which generated code has restored from a bag.
// It sets stays if the other direction must be told that one of the two stays, although the other
// is absent. This is so if dst lacks the objects around the property, or had none around it before.
func (m *movement) run() error {
	value, restored := m.src.json(), m.dst.json()
	switch {
	case m.recorded != nil && m.recorded.IsAbsent && restored != nil:
		m.stays = m.src.hasParent()
		return nil
	case m.recorded != nil && m.recorded.IsAbsent, !m.dst.hasParent():
		m.stays = applied(m.to, value, nil) != nil && !isExact(value, m.to, m.from)
		return nil
	case value == nil && restored != nil && isExact(restored, m.from, m.to):
		m.stays = m.src.hasParent() // it was never moved: else it would not be in the bag
		return nil
	case restored == nil || !isSameOrAbsent(applied(m.from, restored, value), value):
		if made := applied(m.to, value, restored); made != nil || restored != nil {
			if err := m.dst.set(made); err != nil {
				m.dst.remove()
				return err
			}
		}
		if restored == nil && m.around > m.dst.remain() {
			m.emptied = m.around
		}
	}
	if m.isMade() {
		m.src.drop(m.dst.of, m.stay)
	}
	return nil
}

// isMade reports whether the other direction makes src's property again from dst's.
func (m *movement) isMade() bool {
	value, made := m.src.json(), m.dst.json()
	return value != nil && made != nil && jsontext.IsSame(applied(m.from, made, nil), value)
}

// isExact reports whether an operation and its inverse make a value again.
func isExact(value runtime.JSON, there, back operation.Operation) bool {
	return jsontext.IsSame(applied(back, applied(there, value, nil), nil), value)
}

func (m *movement) key() string { return bag.RecordPrefix + m.id }

// leave records in dst's bag what the other direction must know.
func (m *movement) leave(n movedRecord) {
	if n.isNeeded() {
		n.Values = Sum(m.dst.whole())
		if n.Before != nil || n.Record != nil {
			n.Made = Sum(m.src.json())
		}
		stash(m.dst.of.Bag(nil), m.key(), &n)
	}
}

// putBack restores what the other direction recorded about near's bag.
func (m *movement) putBack() {
	if m.recorded == nil || m.recorded.Made != Sum(m.dst.json()) {
		return
	}
	if m.recorded.Before != nil {
		m.src.store(m.dst.of, m.recorded.Before)
	}
	if m.recorded.Record != nil {
		m.putBackRecord()
	}
}

// putBackRecord restores the record that was in dst's bag. The objects around dst's property may
// have changed since.
func (m *movement) putBackRecord() {
	b := m.dst.of.Bag(nil)
	bag.Set(b, m.key(), m.recorded.Record)
	var n *movedRecord
	if m.around == m.recorded.Around || !read(*b, m.key(), &n) || n == nil || n.Objects == m.emptied {
		return
	}
	bag.Set(b, m.key(), nil)
	if n.Objects = m.emptied; n.isNeeded() {
		stash(b, m.key(), n)
	}
}

// isNeeded reports whether the record has any content.
func (n movedRecord) isNeeded() bool {
	return n.IsAbsent || n.Objects > 0 || n.Before != nil || n.Record != nil
}

// replaced returns the entry of src's bag for the property of m on dst's side, if a later write
// without an edit would store another one there; else nil.
func (all movements) replaced(m *movement) runtime.JSON {
	before := m.dst.entry(m.src.of)
	if before == nil {
		return nil
	}
	later := m.dst.whole()
	for _, other := range all {
		value, made := other.src.json(), other.dst.json()
		if other.dst.isIn(m.dst) && value != nil && made != nil && jsontext.IsSame(applied(other.to, value, nil), made) {
			later = without(later, other.dst.Path[len(other.dst.Objects)+1:], other.emptied)
		}
	}
	if isSameOrAbsent(later, before) {
		return nil
	}
	return before
}

// isIn reports whether both properties are in one value of the other side's bag, or are that value.
func (e movedEnd) isIn(o movedEnd) bool {
	n := len(e.Objects)
	return n == len(o.Objects) && slices.Equal(e.Path[:n+1], o.Path[:n+1])
}
