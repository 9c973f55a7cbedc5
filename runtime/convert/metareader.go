package convert

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// metaReader steps over metadata, which a conversion copies in its spelling. Unlike reader, it
// accepts nulls, empty values, times in any spelling, and members that the types lack.
type metaReader struct{ *reader }

// value steps over a value, and reports whether its type can read it.
func (m metaReader) value(s *shape.Shape) bool {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	if m.Peek() == 'n' && m.SkipWord(jsontext.Null) {
		return true
	}
	switch s.Kind {
	case shape.Object:
		set := shape.MemberSet{Of: s}
		return m.each('{', func() bool { return m.member(&set) })
	case shape.List:
		return m.each('[', func() bool { return m.value(s.Elem) })
	case shape.Map:
		return m.each('{', func() bool { return m.key() && m.value(s.Elem) })
	case shape.Opaque:
		return m.opaque(s)
	default:
		return m.conforms(s)
	}
}

// each steps over an object or a list. It calls next for each member or element, which next must
// step over.
func (m metaReader) each(opening byte, next func() bool) bool {
	if !m.Take(opening) {
		return m.mismatch(m.At)
	}
	if !m.enter() {
		return false
	}
	closing := opening + 2 // as in ASCII
	var ok bool
	for another := !m.Take(closing); another; {
		if !next() {
			return false
		}
		if another, ok = m.Follows(closing); !ok {
			return m.cutOr(NotJSON)
		}
	}
	m.leave()
	return true
}

// member steps over a member of an object.
func (m metaReader) member(set *shape.MemberSet) bool {
	f, again := m.expected(set)
	if f == nil {
		name, ok := m.plainName()
		if !ok {
			return false
		}
		if f, again = set.Find(name); f == nil {
			return m.skip()
		}
	}
	return m.once(again) && m.value(f.Shape)
}

// key steps over a key of a map, and the colon.
func (m metaReader) key() bool {
	return m.Peek() == '"' && m.SkipText() && m.Take(':') || m.cutOr(NotJSON)
}

// opaque steps over the fields of an entry of managedFields, or over a time.
func (m metaReader) opaque(s *shape.Shape) bool {
	if s.Type == reflect.TypeFor[metav1.FieldsV1]() {
		return m.fields()
	}
	value, ok := m.raw()
	if !ok || !isTimeShape(s) {
		return ok && m.refuse(RareSpelling)
	}
	_, isTime := readTime(value)
	return isTime || m.allows(value[0] == '"', WrongType) && m.refuse(RareSpelling)
}

// fields steps over the fields of an entry of managedFields.
func (m metaReader) fields() bool {
	m.Peek()
	start, room := m.At, m.limit-m.depth
	if n := m.repeats.length(m.Data[start:], room); n > 0 {
		m.At += n
		return true
	}
	if !m.skip() {
		return false
	}
	m.repeats.add(m.Data[start:m.At], room)
	return true
}
