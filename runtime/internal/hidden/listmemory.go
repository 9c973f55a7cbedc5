package hidden

import (
	"math/rand/v2"
	"unsafe"

	"github.com/stratakube/strata/runtime/internal/fingerprint"
)

// listMemory stores the fingerprints of the elements of lists. So an inner list is visited once,
// and not once for each list around it.
type listMemory[K listKey] struct {
	lists []listPrints[K]
	// slots is a hash table with linear probing for the lists beyond the first few. A slot has an
	// index plus one, or zero if it is free. At most three of four slots are used.
	slots    []uint32
	elements []elementPrint
	// ofDefaults are the leaves of lists within values that equal their default. The elements around
	// such a value do not have them.
	ofDefaults []uint32
}

// listKey identifies a list.
type listKey interface {
	comparable
	hash() uint64
}

// goList identifies a list in memory.
type goList struct {
	data   unsafe.Pointer
	length int
}

func (l goList) hash() uint64 { return fingerprint.Join(uint64(uintptr(l.data)), uint64(l.length)) }

// jsonList identifies a list in JSON by its offset.
type jsonList uint32

func (l jsonList) hash() uint64 { return fingerprint.Mix(uint64(l) ^ listSeed) }

// listSeed makes it unknown which positions of lists share slots: clients choose these positions.
var listSeed = rand.Uint64()

// listPrints locates the fingerprints of the elements of a list.
type listPrints[K listKey] struct {
	key           K
	first, length uint32
	// hides reports that the list contains a property bag with entries.
	hides bool
	// isDefault is set if ofDefaults has the leaves of its elements.
	isDefault bool
}

// forget removes all lists, and keeps the buffers.
func (m *listMemory[K]) forget() {
	m.lists, m.slots, m.elements, m.ofDefaults = truncated(m.lists, 0), m.slots[:0], m.elements[:0], m.ofDefaults[:0]
}

// isLong reports whether a buffer is too long to be reused.
func (m *listMemory[K]) isLong() bool {
	return max(cap(m.lists), cap(m.slots), cap(m.elements), cap(m.ofDefaults)) > maxKept
}

// fewLists is the number of lists that find compares one by one.
const fewLists = 16

// find returns the index of a stored list, and -1 if it is not stored.
func (m *listMemory[K]) find(key K) int {
	for i := range min(len(m.lists), fewLists) {
		if m.lists[i].key == key {
			return i
		}
	}
	if len(m.slots) == 0 {
		return -1
	}
	return int(*m.slot(key)) - 1
}

// prints returns the fingerprints of the elements of a list by its index.
func (m *listMemory[K]) prints(i int) []elementPrint {
	l := &m.lists[i]
	return m.elements[l.first : l.first+l.length]
}

// leavesOf returns the leaves that the elements of a list have parts of: those of defaults, or the
// others, which are given.
func (m *listMemory[K]) leavesOf(i int, leaves []uint32) []uint32 {
	if m.lists[i].isDefault {
		return m.ofDefaults
	}
	return leaves
}

// moveDefault returns the leaves before a mark. Those behind it are of a value that equals its
// default. The lists in that value, which begin at an index, keep them.
func (m *listMemory[K]) moveDefault(list int, leaves []uint32, mark int) []uint32 {
	moved := uint32(len(m.ofDefaults) - mark) // wraps around, as the sums below do
	for i := list; i < len(m.lists); i++ {
		if l := &m.lists[i]; !l.isDefault {
			l.isDefault = true
			for j := range m.prints(i) {
				e := &m.elements[int(l.first)+j]
				e.start, e.end = e.start+moved, e.end+moved
			}
		}
	}
	if list < len(m.lists) {
		m.ofDefaults = append(m.ofDefaults, leaves[mark:]...)
	}
	return leaves[:mark]
}

// record remembers a list. Of two with one key, the first is found.
func (m *listMemory[K]) record(l listPrints[K]) {
	m.lists = append(m.lists, l)
	if len(m.lists) > fewLists {
		if 4*len(m.lists) > 3*len(m.slots) {
			m.makeSlots(4 * len(m.lists))
		}
		m.insert(len(m.lists) - 1)
	}
}

// insert stores a list in its slot.
func (m *listMemory[K]) insert(i int) {
	if slot := m.slot(m.lists[i].key); *slot == 0 {
		*slot = uint32(i + 1)
	}
}

// slot returns the slot of a list, or the free slot for it.
func (m *listMemory[K]) slot(key K) *uint32 {
	for i := key.hash() % uint64(len(m.slots)); ; i = (i + 1) % uint64(len(m.slots)) {
		if n := m.slots[i]; n == 0 || m.lists[n-1].key == key {
			return &m.slots[i]
		}
	}
}

// makeSlots makes a number of slots, and positions all lists.
func (m *listMemory[K]) makeSlots(count int) {
	if cap(m.slots) < count {
		m.slots = make([]uint32, count)
	} else {
		m.slots = m.slots[:count]
		clear(m.slots)
	}
	for i := range m.lists {
		m.insert(i)
	}
}
