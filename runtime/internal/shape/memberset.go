package shape

// MemberSet finds the members of an object, which mostly come sorted, and notes which have come.
type MemberSet struct {
	Of   *Shape
	Next int
	// came has a bit for each of the first fields, further has one for each of the others.
	came    [MaxFields / 64]uint64
	further []uint64
	count   int
	// Bag means that the property bag has come.
	Bag bool
}

// MaxFields is how many fields a set has bits for without further memory.
const MaxFields = 256

// Find returns the field of a name, nil where the type has none; again means that it, or one like
// it, has come before.
func (m *MemberSet) Find(name []byte) (f *Field, again bool) {
	i := m.Of.Index(name, m.Next)
	if i < 0 {
		return nil, false
	}
	return m.Add(i)
}

// Add notes that the field i has come.
func (m *MemberSet) Add(i int) (f *Field, again bool) {
	word, bit := m.word(i), bitOf(i)
	again = *word&bit != 0
	*word |= bit
	m.Next = i + 1
	f = &m.Of.Fields[i]
	if f.Always {
		m.count++
	}
	return f, again
}

// Lookahead is how many fields are tried, since members mostly come in order.
const Lookahead = 3

// Has reports whether the field i has come.
func (m *MemberSet) Has(i int) bool { return *m.word(i)&bitOf(i) != 0 }

// bitOf returns the bit of the field i in its word.
func bitOf(i int) uint64 { return 1 << (uint(i) % 64) }

// word has the bit of the field i.
func (m *MemberSet) word(i int) *uint64 {
	if i < MaxFields {
		return &m.came[uint(i)/64]
	}
	if m.further == nil {
		m.further = make([]uint64, len(m.Of.Fields)/64+1)
	}
	return &m.further[i/64]
}

// IsComplete reports whether all members have come that their type writes in any case.
func (m *MemberSet) IsComplete() bool { return m.count == m.Of.always }

// Index returns the place of a field, -1 where there is none. It looks first where the next is
// likely.
func (s *Shape) Index(name []byte, next int) int {
	for i := next; i < min(next+Lookahead, len(s.Fields)); i++ {
		if s.Fields[i].Name == string(name) {
			return i
		}
	}
	low, high := 0, len(s.Fields)
	for low < high {
		middle := int(uint(low+high) >> 1)
		if s.Fields[middle].Name < string(name) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(s.Fields) && s.Fields[low].Name == string(name) {
		return low
	}
	return -1
}
