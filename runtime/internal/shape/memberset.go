package shape

// MemberSet finds the fields of members, which are usually in order, and records which members an
// object has.
type MemberSet struct {
	Of   *Shape
	Next int
	// came has a bit for each of the first MaxFields fields, and further one for each of the
	// others.
	came    [MaxFields / 64]uint64
	further []uint64
	count   int
	// Bag means that the object has a property bag.
	Bag bool
}

// MaxFields is the number of fields for which a set needs no further memory.
const MaxFields = 256

// Find records a member by its name and returns its field. It returns nil if the type does not
// have one. Again reports that the object has a member of this field already.
func (m *MemberSet) Find(name []byte) (f *Field, again bool) {
	i := m.Of.Index(name, m.Next)
	if i < 0 {
		return nil, false
	}
	return m.Add(i)
}

// Add records a member of the field i, and returns the field.
func (m *MemberSet) Add(i int) (f *Field, again bool) {
	word := &m.came[uint(i)/64%uint(len(m.came))]
	if i >= MaxFields {
		word = m.word(i)
	}
	bit := bitOf(i)
	again = *word&bit != 0
	*word |= bit
	m.Next = i + 1
	f = &m.Of.Fields[i]
	if f.Always {
		m.count++
	}
	return f, again
}

// Expected records the member whose quoted name and colon text begins with, and returns its field.
// It returns nil if that is not one of the next Lookahead fields, in its usual spelling.
func (m *MemberSet) Expected(text []byte) (f *Field, again bool) {
	fields := m.Of.Fields[m.Next:min(m.Next+Lookahead, len(m.Of.Fields))]
	for i := range fields {
		if name := fields[i].Quoted; len(text) >= len(name) && string(text[:len(name)]) == name {
			return m.Add(m.Next + i)
		}
	}
	return nil, false
}

// Lookahead is the number of fields that are compared first, because members are usually in
// order.
const Lookahead = 3

// Has reports whether the object has a member of the field i.
func (m *MemberSet) Has(i int) bool { return *m.word(i)&bitOf(i) != 0 }

// bitOf returns the bit of the field i in its word.
func bitOf(i int) uint64 { return 1 << (uint(i) % 64) }

// word returns the word that has the bit of the field i.
func (m *MemberSet) word(i int) *uint64 {
	if i < MaxFields {
		return &m.came[uint(i)/64]
	}
	if m.further == nil {
		m.further = make([]uint64, len(m.Of.Fields)/64+1)
	}
	return &m.further[i/64]
}

// IsComplete reports whether the object has all members that its type always writes.
func (m *MemberSet) IsComplete() bool { return m.count == m.Of.always }

// Index returns the index of a field, and -1 if there is none. It compares the fields from next
// on first.
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
