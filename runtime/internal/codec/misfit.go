package codec

import (
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Misfits collects the values of one object that do not fit their types, as JSON, while a
// [Reader] reads the object. The methods that the reader calls do nothing on a nil Misfits.
//
// A member goes to the property bag of its object, under [bag.RawKey]. If elements of a list, or
// values of a map, should be objects and are not, they go to the bag of the object around. All
// have one [bag.ElementsKey]. For a storage type these are the bags of the values themselves. API
// types have no bags. For them, Nodes has the JSON that [genruntime.Restore] restores.
type Misfits struct {
	// Label returns the label of the version whose types the values do not fit.
	Label func() string
	// Owns reports whether objects of a shape have a bag, or their storage type does.
	Owns func(s *shape.Shape) bool
	// InBags is set for storage types.
	InBags bool
	// Frames are the path from the root to the current value. owner is the index of the innermost
	// object in them.
	Frames Frames
	owner  int
	// opened is the number of frames that were written to Nodes.
	opened int
	// Nodes, entries and items are stacks: the hidden values of the frames, the entries of their
	// bags, and the elements that were removed from lists and maps.
	Nodes, entries, items []byte
	// owners counts the objects in lists and maps that have entries. elements counts the frames
	// within lists and maps.
	owners, elements int
	// Paths are the paths of the first misfits, and Count is the number of all.
	Paths []string
	Count int
	// HadBag reports that status.propertyBag was no string.
	HadBag bool
}

const (
	// maxOwners is the largest number of objects in lists and maps with their own bags for
	// misfits, since every bag takes memory. Beyond it, a whole element or map value with a
	// misfit becomes a misfit.
	maxOwners = 1024
	// maxPaths is the number of misfits that are reported with their paths, and maxPath the
	// approximate largest length of a path.
	maxPaths, maxPath = 64, 256
)

// Enter adds a frame around the following values, until Leave. For an element, index is its future
// index among those that fit, and sourceIndex its index in the source.
func (m *Misfits) Enter(kind frameKind, name string, index, sourceIndex int) {
	if m == nil {
		return
	}
	f := frame{kind: kind, name: name, first: int32(index), second: int32(sourceIndex)}
	switch kind {
	case ObjectFrame:
		f.repeats, f.first, f.second = m.elements > 0, int32(m.owner), int32(len(m.entries))
		m.owner = m.Frames.count
	case indexFrame, keyFrame, moreFrame:
		m.elements++
	}
	m.Frames.push(f)
}

// Leave removes the innermost frame, and ends its text if there is one.
func (m *Misfits) Leave() {
	if m == nil {
		return
	}
	top := m.Frames.count - 1
	f := m.Frames.at(top)
	if m.opened > top {
		m.close(f)
		m.opened = top
	}
	switch f.kind {
	case ObjectFrame:
		m.owner = int(f.first)
	case indexFrame, keyFrame, moreFrame:
		m.elements--
	}
	m.Frames.count = top
}

// isDeep reports whether the current value is within many lists and maps.
func (m *Misfits) isDeep() bool { return m != nil && m.elements > deep }

// deep is the number of lists and maps around a value beyond which it counts as deep.
const deep = 16

// open writes the frames that are not written yet.
func (m *Misfits) open() {
	for ; m.opened < m.Frames.count; m.opened++ {
		switch f := m.Frames.at(m.opened); f.kind {
		case SectionFrame:
			m.separate()
			m.Nodes = append(jsontext.AppendText(m.Nodes, f.name), ':')
		case ObjectFrame:
			m.Nodes = append(m.Nodes, '{')
		case memberFrame:
			m.member(`"in":{`, bag.StoredName(f.name))
		case moreFrame:
			m.member(`"more":{`, f.name)
		case listFrame:
			m.Nodes = append(m.Nodes, `{"in":[`...)
		case indexFrame:
			m.separate()
			m.Nodes = append(strconv.AppendInt(append(m.Nodes, '['), int64(f.first), 10), ',')
		case dictFrame:
			m.Nodes = append(m.Nodes, `{"in":{`...)
		case keyFrame:
			m.separate()
			m.Nodes = append(jsontext.AppendText(m.Nodes, bag.StoredName(f.name)), ':')
		}
	}
}

func (m *Misfits) member(section, name string) {
	m.separate()
	m.Nodes = append(jsontext.AppendText(append(m.Nodes, section...), name), ':')
}

// separate writes a comma between members or elements.
func (m *Misfits) separate() {
	if len(m.Nodes) == 0 {
		m.Nodes = append(m.Nodes, '{')
	} else if last := m.Nodes[len(m.Nodes)-1]; last != '{' && last != '[' {
		m.Nodes = append(m.Nodes, ',')
	}
}

func (m *Misfits) close(f *frame) {
	switch f.kind {
	case ObjectFrame:
		if len(m.entries) > int(f.second) {
			m.separate()
			m.Nodes = jsontext.RoomFor(m.Nodes, len(m.entries)-int(f.second))
			m.Nodes = append(append(append(m.Nodes, `"bag":{`...), m.entries[f.second:]...), '}')
			m.entries = m.entries[:f.second]
		}
		m.Nodes = append(m.Nodes, '}')
	case memberFrame, moreFrame:
		m.Nodes = append(m.Nodes, '}')
	case listFrame:
		m.Nodes = append(m.Nodes, "]}"...)
	case indexFrame:
		m.Nodes = append(m.Nodes, ']')
	case dictFrame:
		m.Nodes = append(m.Nodes, "}}"...)
	}
}

// misfitMark is a state to which Reset returns.
type misfitMark struct {
	frames, owner, opened, nodes, entries, items int
	owners, elements, paths, count               int
	kept, hadBag                                 bool
}

// Mark returns the present state, for Reset.
func (m *Misfits) Mark() misfitMark {
	if m == nil {
		return misfitMark{}
	}
	mark := misfitMark{
		frames: m.Frames.count, owner: m.owner, opened: m.opened, nodes: len(m.Nodes), entries: len(m.entries), items: len(m.items),
		owners: m.owners, elements: m.elements, paths: len(m.Paths), count: m.Count, hadBag: m.HadBag,
	}
	if m.owner < m.Frames.count {
		mark.kept = m.Frames.at(m.owner).kept
	}
	return mark
}

// Reset returns to the state that Mark returned, and drops the misfits since then.
func (m *Misfits) Reset(k misfitMark) {
	m.Frames.count, m.owner, m.opened = k.frames, k.owner, k.opened
	m.Nodes, m.entries, m.items = m.Nodes[:k.nodes], m.entries[:k.entries], m.items[:k.items]
	m.owners, m.elements, m.Paths, m.Count, m.HadBag = k.owners, k.elements, m.Paths[:k.paths], k.count, k.hadBag
	if m.owner < m.Frames.count {
		m.Frames.at(m.owner).kept = k.kept
	}
}

// hasRoom reports whether the innermost object may have another entry.
func (m *Misfits) hasRoom() bool {
	f := m.Frames.at(m.owner)
	return f.kept || !f.repeats || m.owners < maxOwners
}

// own records that the innermost object has an entry.
func (m *Misfits) own() {
	f := m.Frames.at(m.owner)
	if !f.kept && f.repeats {
		m.owners++
	}
	f.kept = true
}

// keep stores a member of an object as a misfit.
func (m *Misfits) keep(s *shape.Shape, p unsafe.Pointer, name string, value runtime.JSON) {
	m.own()
	if m.isStatusBag(name) {
		m.HadBag = true
		return
	}
	m.note(name, -1)
	m.entry(s, p, bag.RawKey(m.stored(name), m.Label()), value)
}

// unknown stores a member that the storage type lacks. There is no limit for the bags of such
// members: the element around one fits, and must stay in its list. Only the few that may write the
// storage version can store them.
func (m *Misfits) unknown(s *shape.Shape, p unsafe.Pointer, name string, value runtime.JSON) {
	m.note(name, -1)
	m.entry(s, p, unknownKey(name, m.Label()), value)
}

// KeepWhole stores a value in place of an object as a misfit of that object.
func (m *Misfits) KeepWhole(s *shape.Shape, p unsafe.Pointer, value runtime.JSON) {
	m.own()
	m.note("", -1)
	m.entry(s, p, bag.WholeKey(m.Label()), value)
}

// stored returns the name in storage of the current member.
func (m *Misfits) stored(name string) string {
	if m.InBags {
		return name
	}
	return bag.StoredName(name)
}

// isStatusBag reports whether a member is the status.propertyBag of an API type.
func (m *Misfits) isStatusBag(name string) bool {
	return !m.InBags && name == "propertyBag" && m.Frames.count == 2 && m.Frames.at(0).name == "status"
}

// entry writes an entry of the innermost object's bag.
func (m *Misfits) entry(s *shape.Shape, p unsafe.Pointer, key string, value runtime.JSON) {
	if m.InBags {
		bag.Put(s.BagAt(p), key, slices.Clone(value))
		return
	}
	m.open()
	m.entries = jsontext.RoomFor(m.entries, len(key)+len(value))
	if len(m.entries) > int(m.Frames.at(m.owner).second) {
		m.entries = append(m.entries, ',')
	}
	m.entries = append(append(jsontext.AppendText(m.entries, key), ':'), value...)
}

// listed writes an entry for the elements that were removed from the lists or maps of a member.
func (m *Misfits) listed(s *shape.Shape, p unsafe.Pointer, since misfitMark, name string) {
	if m == nil || len(m.items) == since.items {
		return
	}
	m.entry(s, p, bag.ElementsKey(m.stored(name), m.Label()), m.items[since.items:])
	m.items = m.items[:since.items]
}

// isOwn reports whether a key of a bag is that of misfits of the version.
func (m *Misfits) isOwn(key string) bool {
	_, _, own := readStored(key, m.Label())
	return own
}

// note counts a misfit, and stores its path. The misfit is the member of a name, or the element at
// sourceIndex if that is not negative.
func (m *Misfits) note(name string, sourceIndex int) {
	if m.Count++; len(m.Paths) >= maxPaths {
		return
	}
	var out strings.Builder
	for i := range m.Frames.count {
		if out.Len() > maxPath {
			break
		}
		switch f := m.Frames.at(i); f.kind {
		case SectionFrame:
			out.WriteString(f.name)
		case memberFrame, moreFrame, keyFrame:
			out.WriteByte('.')
			out.WriteString(f.name[:min(len(f.name), maxPath)])
		case indexFrame:
			out.WriteString("[" + strconv.Itoa(int(f.second)) + "]")
		}
	}
	switch {
	case sourceIndex >= 0:
		out.WriteString("[" + strconv.Itoa(sourceIndex) + "]")
	case name != "":
		out.WriteString("." + name[:min(len(name), maxPath)])
	}
	m.Paths = append(m.Paths, out.String())
}

// listMisfits are the elements that were removed from one list or map. For a list of objects they
// are [[index, [consecutive values]], ...], and for a map of objects {key: value}. For a list of
// lists or of maps they are [[index among those that fit, the removed elements of it], ...]. For
// a map of these they are {key: the removed elements of it}.
type listMisfits struct {
	// base is the offset of its items, and next the index that would continue the last run.
	base, next int
	isDict     bool
	// nests means that the elements are lists or maps themselves.
	nests bool
}

func (m *Misfits) beginList(s *shape.Shape) listMisfits {
	if m == nil {
		return listMisfits{}
	}
	l := listMisfits{base: len(m.items), isDict: s.Kind == shape.Map, nests: itemsOf(s).nests}
	if l.isDict {
		m.Enter(dictFrame, "", 0, 0)
	} else {
		m.Enter(listFrame, "", 0, 0)
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

func (m *Misfits) endList(l *listMisfits) {
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
	m.Leave()
}

// innerMark has the offset of the elements removed from an inner list, and that of their items.
type innerMark struct{ start, items int }

func (m *Misfits) beginInner(l *listMisfits, name []byte, index int) innerMark {
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

func (m *Misfits) endInner(l *listMisfits, inner innerMark) {
	switch {
	case !l.nests:
	case len(m.items) == inner.items:
		m.items = m.items[:inner.start]
	case !l.isDict:
		m.items = append(m.items, ']')
	}
}

// element removes the element i of a list.
func (m *Misfits) element(l *listMisfits, i int, value runtime.JSON) {
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

// run begins a run of consecutive elements.
func (m *Misfits) run(i int) {
	m.items = append(strconv.AppendInt(append(m.items, '['), int64(i), 10), ",["...)
}

// value removes a value of a map.
func (m *Misfits) value(l *listMisfits, key []byte, value runtime.JSON) {
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
