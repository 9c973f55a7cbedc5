package runtime

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// reader steps over JSON that a Go type reads and writes again as the same values. It refuses whatever else there is,
// and what is rare: then an object has to be made of it.
type reader struct {
	cursor
	// depth is how deep the value at hand is nested, deepest how deep any was.
	depth, deepest int
	// bags lets property bags pass where a type has one.
	bags bool
	// lenient lets members pass that a type does not have, and nulls, as in metadata.
	lenient bool
}

// enter and leave count how deep a value is nested.
func (r *reader) enter() bool {
	r.depth++
	r.deepest = max(r.deepest, r.depth)
	return r.depth < maxDepth
}

func (r *reader) leave() { r.depth-- }

// conforms steps over a value, and tells whether it is one of the shape.
func (r *reader) conforms(s *shape) bool {
	isPointer := s.kind == pointerKind
	for s.kind == pointerKind {
		s = s.elem
	}
	switch s.kind {
	case textKind:
		return r.peek() == '"' && r.skipText() || r.isNull()
	case integerKind:
		return r.skipInteger() || r.isNull()
	case numberKind:
		return r.skipFloat() || r.isNull()
	case truthKind:
		return r.skipTruth() || r.isNull()
	case freeKind:
		return r.skip(maxDepth - r.depth)
	case objectKind:
		return r.object(s)
	case listKind:
		return r.list(s)
	case dictKind:
		return r.dict(s)
	default:
		return r.opaque(s, isPointer)
	}
}

func (r *reader) isNull() bool {
	return r.lenient && r.peek() == 'n' && r.skipWord(null)
}

func (r *reader) skipTruth() bool {
	switch r.peek() {
	case 't':
		return r.skipWord("true")
	case 'f':
		return r.skipWord("false")
	default:
		return false
	}
}

func (r *reader) skipInteger() bool {
	r.peek()
	start := r.at
	if !r.skipNumber() {
		return false
	}
	literal := r.data[start:r.at]
	const safe = 18
	if !isInteger(borrow(literal)) {
		return false
	}
	if len(literal) <= safe {
		return true
	}
	_, err := strconv.ParseInt(borrow(literal), 10, 64)
	return err == nil
}

func (r *reader) skipFloat() bool {
	r.peek()
	start := r.at
	if !r.skipNumber() {
		return false
	}
	literal := r.data[start:r.at]
	const safe = 300
	if len(literal) < safe && bytes.IndexByte(literal, 'e') < 0 && bytes.IndexByte(literal, 'E') < 0 {
		return true
	}
	_, err := strconv.ParseFloat(borrow(literal), 64)
	return err == nil
}

// borrow is the text of bytes, for functions that do not keep it.
func borrow(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

func (r *reader) list(s *shape) bool {
	if r.isNull() {
		return true
	}
	if !r.take('[') || !r.enter() {
		return false
	}
	for first := true; !r.take(']'); first = false {
		if !first && !r.take(',') || !r.conforms(s.elem) {
			return false
		}
	}
	r.leave()
	return true
}

func (r *reader) dict(s *shape) bool {
	if r.isNull() {
		return true
	}
	if !r.take('{') || !r.enter() {
		return false
	}
	for first := true; !r.take('}'); first = false {
		if !first && !r.take(',') || r.peek() != '"' || !r.skipText() || !r.take(':') || !r.conforms(s.elem) {
			return false
		}
	}
	r.leave()
	return true
}

func (r *reader) object(s *shape) bool {
	if r.isNull() {
		return true
	}
	if !r.take('{') || !r.enter() {
		return false
	}
	m := memberReader{of: s}
	for first := true; !r.take('}'); first = false {
		if !first && !r.take(',') {
			return false
		}
		name, ok := r.plainName()
		if !ok || !r.member(s, &m, name) {
			return false
		}
	}
	r.leave()
	return r.lenient || m.isWhole()
}

// plainName reads the name of a member that is spelled without escapes, and steps over the colon.
func (r *reader) plainName() ([]byte, bool) {
	if r.peek() != '"' {
		return nil, false
	}
	r.at++
	start := r.at
	if r.plain(); r.at >= len(r.data) || r.data[r.at] != '"' {
		return nil, false
	}
	name := r.data[start:r.at]
	r.at++
	return name, r.take(':')
}

func (r *reader) member(s *shape, m *memberReader, name []byte) bool {
	f, again := m.find(name)
	switch {
	case again:
		return false
	case f != nil && f.empties:
		return r.counting(f)
	case f != nil:
		return r.conforms(f.shape)
	case string(name) == bagName && s.hasBag:
		return r.bags && r.bag()
	case s.more != nil && string(name) != bagName:
		return r.conforms(s.more.shape.elem)
	default:
		return r.lenient && r.skip(maxDepth-r.depth)
	}
}

// bag steps over a property bag.
func (r *reader) bag() bool { return r.peek() == '{' && r.skip(maxDepth-r.depth) }

// counting steps over a member that its type leaves out when it is empty.
func (r *reader) counting(f *field) bool {
	r.peek()
	start := r.at
	if !r.conforms(f.shape) {
		return false
	}
	switch string(r.data[start:r.at]) {
	case `""`, "0", "false", "[]", "{}":
		return r.lenient
	default:
		return true
	}
}

// opaque steps over a value whose type reads it by a method of its own. A type that is no pointer writes a zero time as
// null.
func (r *reader) opaque(s *shape, isPointer bool) bool {
	r.peek()
	start := r.at
	if !r.skip(maxDepth - r.depth) {
		return false
	}
	value := r.data[start:r.at]
	switch s.of {
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime]():
		return (r.lenient || !isPointer) && string(value) == null || isTime(value, r.lenient)
	case reflect.TypeFor[metav1.FieldsV1]():
		return true
	default:
		return false
	}
}

// isTime tells whether a value is a time that is written as it was read. Where that is not asked for, any time will do.
func isTime(value []byte, lenient bool) bool {
	if len(value) < 2 || value[0] != '"' {
		return false
	}
	text := borrow(value[1 : len(value)-1])
	t, err := time.Parse(time.RFC3339, text)
	return err == nil && (lenient || len(text) == len(time.RFC3339)-len("07:00") && strings.HasSuffix(text, "Z") && !t.IsZero())
}

// memberReader finds the members of an object, which mostly come sorted, and notes which have come.
type memberReader struct {
	of   *shape
	next int
	// came has a bit for each field; fields beyond them are found again and again.
	came  [maxBits / 64]uint64
	count int
}

const maxBits = 256

// find returns the field of a name, nil where the type has none; again tells that it, or one like it, has come before.
func (m *memberReader) find(name []byte) (f *field, again bool) {
	i := m.of.index(name, m.next)
	if i < 0 {
		return nil, false
	}
	if i >= maxBits {
		again = i < m.next // in order, none can have come
	} else {
		again = m.has(i)
		m.came[i/64] |= 1 << (i % 64)
	}
	m.next = i + 1
	if m.of.fields[i].always {
		m.count++
	}
	return &m.of.fields[i], again
}

// has tells whether the field i has come, of which there is a bit.
func (m *memberReader) has(i int) bool { return m.came[i/64]&(1<<(i%64)) != 0 }

// isWhole tells whether all members have come that their type writes in any case.
func (m *memberReader) isWhole() bool { return m.count == m.of.always }

// index returns the place of a field, -1 where there is none. It looks first where the next is likely.
func (s *shape) index(name []byte, next int) int {
	const near = 3
	for i := next; i < min(next+near, len(s.fields)); i++ {
		if s.fields[i].name == string(name) {
			return i
		}
	}
	low, high := 0, len(s.fields)
	for low < high {
		middle := int(uint(low+high) >> 1)
		if s.fields[middle].name < string(name) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(s.fields) && s.fields[low].name == string(name) {
		return low
	}
	return -1
}
