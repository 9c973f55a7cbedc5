package genruntime

import (
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// misfits collects the values of one object that do not fit their types, as text, while a [valueReader] reads the object.
// The methods that follow the reader do nothing where there are no misfits to collect.
//
// A member goes to the property bag of its object, under [bag.RawKey]. Elements of a list, and values of a map, that should be
// objects and are not go to the bag of the object around, all under one [bag.ElementsKey]. For a storage type these are the
// bags of the values themselves. For an API type, which has none, nodes is the JSON of what [Restore] puts there.
type misfits struct {
	// label returns the version whose type they do not fit.
	label func() string
	// owns reports whether objects of a shape have a bag, of their own or at the same place in the storage type.
	owns func(s *shape) bool
	// inBags is set for storage types.
	inBags bool
	// frames lead from the root to the value at hand, owner is the innermost object of them.
	frames []frame
	owner  int
	// opened is how many of the frames have been written to nodes.
	opened int
	// nodes, entries and items are stacks: what is hidden in the frames, the entries of their bags, and the elements that
	// were taken from lists and maps.
	nodes, entries, items []byte
	// owners counts the objects in lists and maps that have entries, elements the frames within lists and maps.
	owners, elements int
	// paths are the places of the first entries, of which there are count.
	paths []string
	count int
	// hadBag is set if status.propertyBag was no text.
	hadBag bool
}

const (
	// maxOwners is how many objects in lists and maps may have misfits in bags of their own, since every bag takes memory.
	// Behind them, an element or a value of a map with a misfit is one as a whole.
	maxOwners = 1024
	// maxPaths is how many places of misfits are reported with their paths, and maxPath how long these may be.
	maxPaths, maxPath = 64, 256
)

type frameKind uint8

const (
	sectionFrame frameKind = iota
	objectFrame
	memberFrame
	moreFrame
	listFrame
	indexFrame
	dictFrame
	keyFrame
)

// frame is a place on the way to a value.
type frame struct {
	kind frameKind
	// kept is set for an object that has entries.
	kept bool
	// outer is the object around an object, and start is where its entries begin.
	outer, start int32
	// elements counts the frames within lists and maps around.
	elements int32
	// index is where an element is among those that fit, place where it was read.
	index, place int32
	name         string
}

func (m *misfits) enter(kind frameKind, name string, index, place int) {
	if m == nil {
		return
	}
	if len(m.frames) == cap(m.frames) {
		m.frames = slices.Grow(m.frames, len(m.frames)+1)
	}
	m.frames = append(m.frames, frame{
		kind: kind, name: name, index: int32(index), place: int32(place), outer: int32(m.owner), start: int32(len(m.entries)), elements: int32(m.elements),
	})
	switch kind {
	case objectFrame:
		m.owner = len(m.frames) - 1
	case indexFrame, keyFrame, moreFrame:
		m.elements++
	}
}

func (m *misfits) leave() {
	if m == nil {
		return
	}
	top := len(m.frames) - 1
	f := m.frames[top]
	if m.opened > top {
		m.close(&f)
		m.opened = top
	}
	m.frames, m.owner, m.elements = m.frames[:top], int(f.outer), int(f.elements)
}

// open writes the frames that have not been written.
func (m *misfits) open() {
	for ; m.opened < len(m.frames); m.opened++ {
		switch f := &m.frames[m.opened]; f.kind {
		case sectionFrame:
			m.separate()
			m.nodes = append(jsontext.AppendText(m.nodes, f.name), ':')
		case objectFrame:
			m.nodes = append(m.nodes, '{')
		case memberFrame:
			m.member(`"in":{`, bag.StoredName(f.name))
		case moreFrame:
			m.member(`"more":{`, f.name)
		case listFrame:
			m.nodes = append(m.nodes, `{"in":[`...)
		case indexFrame:
			m.separate()
			m.nodes = append(strconv.AppendInt(append(m.nodes, '['), int64(f.index), 10), ',')
		case dictFrame:
			m.nodes = append(m.nodes, `{"in":{`...)
		case keyFrame:
			m.separate()
			m.nodes = append(jsontext.AppendText(m.nodes, bag.StoredName(f.name)), ':')
		}
	}
}

func (m *misfits) member(section, name string) {
	m.separate()
	m.nodes = append(jsontext.AppendText(append(m.nodes, section...), name), ':')
}

// separate writes a comma between members or elements.
func (m *misfits) separate() {
	if len(m.nodes) == 0 {
		m.nodes = append(m.nodes, '{')
	} else if last := m.nodes[len(m.nodes)-1]; last != '{' && last != '[' {
		m.nodes = append(m.nodes, ',')
	}
}

func (m *misfits) close(f *frame) {
	switch f.kind {
	case objectFrame:
		if len(m.entries) > int(f.start) {
			m.separate()
			m.nodes = jsontext.RoomFor(m.nodes, len(m.entries)-int(f.start))
			m.nodes = append(append(append(m.nodes, `"bag":{`...), m.entries[f.start:]...), '}')
			m.entries = m.entries[:f.start]
		}
		m.nodes = append(m.nodes, '}')
	case memberFrame, moreFrame:
		m.nodes = append(m.nodes, '}')
	case listFrame:
		m.nodes = append(m.nodes, "]}"...)
	case indexFrame:
		m.nodes = append(m.nodes, ']')
	case dictFrame:
		m.nodes = append(m.nodes, "}}"...)
	}
}

// misfitMark is a state that a reader can go back to.
type misfitMark struct {
	frames, owner, opened, nodes, entries, items int
	owners, elements, paths, count               int
	kept, hadBag                                 bool
}

func (m *misfits) mark() misfitMark {
	if m == nil {
		return misfitMark{}
	}
	mark := misfitMark{
		frames: len(m.frames), owner: m.owner, opened: m.opened, nodes: len(m.nodes), entries: len(m.entries), items: len(m.items),
		owners: m.owners, elements: m.elements, paths: len(m.paths), count: m.count, hadBag: m.hadBag,
	}
	if m.owner < len(m.frames) {
		mark.kept = m.frames[m.owner].kept
	}
	return mark
}

func (m *misfits) reset(k misfitMark) {
	m.frames, m.owner, m.opened = m.frames[:k.frames], k.owner, k.opened
	m.nodes, m.entries, m.items = m.nodes[:k.nodes], m.entries[:k.entries], m.items[:k.items]
	m.owners, m.elements, m.paths, m.count, m.hadBag = k.owners, k.elements, m.paths[:k.paths], k.count, k.hadBag
	if m.owner < len(m.frames) {
		m.frames[m.owner].kept = k.kept
	}
}

// hasRoom reports whether the object around may have one more entry.
func (m *misfits) hasRoom() bool {
	f := &m.frames[m.owner]
	return f.kept || f.elements == 0 || m.owners < maxOwners
}

// own notes that the object around has an entry.
func (m *misfits) own() {
	f := &m.frames[m.owner]
	if !f.kept && f.elements > 0 {
		m.owners++
	}
	f.kept = true
}

// keep takes a member of an object.
func (m *misfits) keep(s *shape, p unsafe.Pointer, name string, value runtime.JSON) {
	m.own()
	if m.isStatusBag(name) {
		m.hadBag = true
		return
	}
	m.note(name, -1)
	m.entry(s, p, bag.RawKey(m.stored(name), m.label()), value)
}

// keepWhole takes what stands where the object should.
func (m *misfits) keepWhole(s *shape, p unsafe.Pointer, value runtime.JSON) {
	m.own()
	m.note("", -1)
	m.entry(s, p, bag.WholeKey(m.label()), value)
}

// stored returns the name in storage of a member that is being read.
func (m *misfits) stored(name string) string {
	if m.inBags {
		return name
	}
	return bag.StoredName(name)
}

// isStatusBag reports whether a member is the status.propertyBag of an API type.
func (m *misfits) isStatusBag(name string) bool {
	return !m.inBags && name == "propertyBag" && len(m.frames) == 2 && m.frames[0].name == "status"
}

// entry writes an entry of the bag of the object at hand.
func (m *misfits) entry(s *shape, p unsafe.Pointer, key string, value runtime.JSON) {
	if m.inBags {
		bag.Put(s.bagAt(p), key, slices.Clone(value))
		return
	}
	m.open()
	m.entries = jsontext.RoomFor(m.entries, len(key)+len(value))
	if len(m.entries) > int(m.frames[m.owner].start) {
		m.entries = append(m.entries, ',')
	}
	m.entries = append(append(jsontext.AppendText(m.entries, key), ':'), value...)
}

// listed makes an entry of what was taken from the lists or maps of a member.
func (m *misfits) listed(s *shape, p unsafe.Pointer, since misfitMark, name string) {
	if m == nil || len(m.items) == since.items {
		return
	}
	m.entry(s, p, bag.ElementsKey(m.stored(name), m.label()), m.items[since.items:])
	m.items = m.items[:since.items]
}

// isOwn reports whether the key of a bag is that of misfits of the version.
func (m *misfits) isOwn(key string) bool {
	_, own := bag.ReadMisfit(key, m.label())
	return own
}

// note counts a misfit, and keeps its path. It is the member of a name, or the element where place is not negative.
func (m *misfits) note(name string, place int) {
	if m.count++; len(m.paths) >= maxPaths {
		return
	}
	var out strings.Builder
	for i := range m.frames {
		if out.Len() > maxPath {
			break
		}
		switch f := &m.frames[i]; f.kind {
		case sectionFrame:
			out.WriteString(f.name)
		case memberFrame, moreFrame, keyFrame:
			out.WriteByte('.')
			out.WriteString(f.name[:min(len(f.name), maxPath)])
		case indexFrame:
			out.WriteString("[" + strconv.Itoa(int(f.place)) + "]")
		}
	}
	switch {
	case place >= 0:
		out.WriteString("[" + strconv.Itoa(place) + "]")
	case name != "":
		out.WriteString("." + name[:min(len(name), maxPath)])
	}
	m.paths = append(m.paths, out.String())
}

// listMisfits is what was taken from one list or map: [[index, [values that stood there, one behind the other]], ...]
// from a list of objects, {key: value} from a map of objects. From a list of lists or of maps it is [[index among those
// that are left, what was taken from it], ...], and from a map of such {key: what was taken from it}.
type listMisfits struct {
	// base is where its items begin, next the index that would continue the last run.
	base, next int
	isDict     bool
	// nests is set where the elements are lists or maps themselves.
	nests bool
}

func (m *misfits) beginList(s *shape) listMisfits {
	if m == nil {
		return listMisfits{}
	}
	l := listMisfits{base: len(m.items), isDict: s.kind == dictKind, nests: s.items().nests}
	if l.isDict {
		m.enter(dictFrame, "", 0, 0)
	} else {
		m.enter(listFrame, "", 0, 0)
	}
	if l.nests {
		m.items = append(m.items, l.bracket())
	}
	return l
}

func (l *listMisfits) bracket() byte {
	if l.isDict {
		return '{'
	}
	return '['
}

// holds reports whether a value is a list or a map.
func (s *shape) holds() bool {
	for s.kind == pointerKind {
		s = s.elem
	}
	return s.kind == listKind || s.kind == dictKind
}

func (m *misfits) endList(l *listMisfits) {
	if m == nil {
		return
	}
	switch {
	case l.nests && len(m.items) == l.base+1:
		m.items = m.items[:l.base]
	case len(m.items) > l.base:
		if !l.nests && !l.isDict {
			m.items = append(m.items, "]]"...)
		}
		m.items = append(m.items, l.bracket()+2)
	}
	m.leave()
}

// innerMark is where what is taken from a list in a list begins, and where its own items do.
type innerMark struct{ start, items int }

func (m *misfits) beginInner(l *listMisfits, name []byte, index int) innerMark {
	if !l.nests {
		return innerMark{}
	}
	start := len(m.items)
	if start > l.base+1 {
		m.items = append(m.items, ',')
	}
	if l.isDict {
		m.items = append(jsontext.AppendText(m.items, string(name)), ':')
	} else {
		m.items = append(strconv.AppendInt(append(m.items, '['), int64(index), 10), ',')
	}
	return innerMark{start, len(m.items)}
}

func (m *misfits) endInner(l *listMisfits, inner innerMark) {
	switch {
	case !l.nests:
	case len(m.items) == inner.items:
		m.items = m.items[:inner.start]
	case !l.isDict:
		m.items = append(m.items, ']')
	}
}

// element takes the element i of a list.
func (m *misfits) element(l *listMisfits, i int, value runtime.JSON) {
	m.own()
	m.items = jsontext.RoomFor(m.items, len(value))
	switch first := len(m.items) == l.base; {
	case first:
		m.note("", i)
		m.items = append(m.items, '[')
		m.run(i)
	case i == l.next:
		m.items = append(m.items, ',')
	default:
		m.items = append(m.items, "]],"...)
		m.run(i)
	}
	m.items = append(m.items, value...)
	l.next = i + 1
}

// run begins a run of elements.
func (m *misfits) run(i int) {
	m.items = append(strconv.AppendInt(append(m.items, '['), int64(i), 10), ",["...)
}

// value takes a value of a map.
func (m *misfits) value(l *listMisfits, key []byte, value runtime.JSON) {
	m.own()
	m.items = jsontext.RoomFor(m.items, len(key)+len(value))
	if len(m.items) == l.base {
		m.note(string(key), -1)
		m.items = append(m.items, '{')
	} else {
		m.items = append(m.items, ',')
	}
	m.items = append(append(jsontext.AppendText(m.items, string(key)), ':'), value...)
}
