package convert

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// conforms steps over a value, and reports whether it is one of the shape.
func (r *reader) conforms(s *shape.Shape) bool {
	isPointer := s.Kind == shape.Pointer
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	switch s.Kind {
	case shape.Object:
		return r.object(s)
	case shape.List:
		return r.list(s)
	case shape.Map:
		return r.dict(s)
	}
	return r.leaf(s, isPointer)
}

// leaf steps over a value that is no object, list or map of the shape.
func (r *reader) leaf(s *shape.Shape, isPointer bool) bool {
	if !r.Watch.OK() {
		return r.refuse(Canceled)
	}
	start := r.At
	switch s.Kind {
	case shape.Text:
		return r.isNull() || r.Peek() == '"' && r.SkipText() || r.mismatch(start)
	case shape.Integer:
		return r.isNull() || r.skipInteger() || r.mismatch(start)
	case shape.Number:
		return r.isNull() || r.skipFloat() || r.mismatch(start)
	case shape.Bool:
		return r.isNull() || r.skipTruth() || r.mismatch(start)
	case shape.JSON:
		return r.skip()
	default:
		return r.opaque(s, isPointer)
	}
}

// isNull steps over a null where those may pass. It is short, so that the compiler inlines it.
func (r *reader) isNull() bool { return r.lenient && r.skipNull() }

func (r *reader) skipNull() bool { return r.Peek() == 'n' && r.SkipWord(jsontext.Null) }

func (r *reader) skipTruth() bool {
	switch r.Peek() {
	case 't':
		return r.SkipWord("true")
	case 'f':
		return r.SkipWord("false")
	default:
		return false
	}
}

func (r *reader) skipInteger() bool {
	r.Peek()
	start := r.At
	if !r.SkipNumber() {
		return false
	}
	literal := r.Data[start:r.At]
	const safe = 18
	if !jsontext.IsInteger(jsontext.Borrow(literal)) {
		return false
	}
	if len(literal) <= safe {
		return true
	}
	_, err := strconv.ParseInt(jsontext.Borrow(literal), 10, 64)
	return err == nil
}

func (r *reader) skipFloat() bool {
	r.Peek()
	start := r.At
	if !r.SkipNumber() {
		return false
	}
	literal := r.Data[start:r.At]
	const safe = 300
	if len(literal) < safe && bytes.IndexByte(literal, 'e') < 0 && bytes.IndexByte(literal, 'E') < 0 {
		return true
	}
	_, err := strconv.ParseFloat(jsontext.Borrow(literal), 64)
	return err == nil
}

func (r *reader) list(s *shape.Shape) bool {
	if r.isNull() {
		return true
	}
	if !r.Take('[') {
		return r.mismatch(r.At)
	}
	if !r.enter() {
		return false
	}
	var ok bool
	for another := !r.Take(']'); another; {
		if !r.conforms(s.Elem) {
			return false
		}
		if another, ok = r.Follows(']'); !ok {
			return r.cutOr(NotJSON)
		}
	}
	r.leave()
	return true
}

func (r *reader) dict(s *shape.Shape) bool {
	if r.isNull() {
		return true
	}
	if !r.Take('{') {
		return r.mismatch(r.At)
	}
	if !r.enter() {
		return false
	}
	var ok bool
	for another := !r.Take('}'); another; {
		if !r.key() || !r.conforms(s.Elem) {
			return false
		}
		if another, ok = r.Follows('}'); !ok {
			return r.cutOr(NotJSON)
		}
	}
	r.leave()
	return true
}

// key steps over a key of a map, and the colon. It refuses one whose name in storage is not that of
// the API.
func (r *reader) key() bool {
	if r.Peek() != '"' {
		return r.cutOr(NotJSON)
	}
	start := r.At
	if !r.SkipText() {
		return r.cutOr(NotJSON)
	}
	text := r.Data[start:r.At]
	if text[1] != '$' && text[1] != '\\' || r.lenient || !bag.IsLike(jsontext.Unquoted(text), bag.Name) {
		return r.Take(':') || r.cutOr(NotJSON)
	}
	return r.refuse(ReservedName)
}

func (r *reader) object(s *shape.Shape) bool {
	if r.isNull() {
		return true
	}
	if !r.Take('{') {
		return r.mismatch(r.At)
	}
	if !r.enter() {
		return false
	}
	m := shape.MemberSet{Of: s}
	var ok bool
	for another := !r.Take('}'); another; {
		if !r.next(s, &m) {
			return false
		}
		if another, ok = r.Follows('}'); !ok {
			return r.cutOr(NotJSON)
		}
	}
	r.leave()
	return r.lenient || m.IsComplete() || r.refuse(MissingMember)
}

// next steps over a member of an object.
func (r *reader) next(s *shape.Shape, m *shape.MemberSet) bool {
	if f, again := r.expected(m); f != nil {
		return r.once(again) && r.known(f)
	}
	name, ok := r.plainName()
	return ok && r.member(s, m, name)
}

// plainName reads the name of a member that is spelled without escapes, and steps over the colon.
func (r *reader) plainName() ([]byte, bool) {
	if r.Peek() != '"' {
		return nil, r.cutOr(NotJSON)
	}
	r.At++
	start := r.At
	if r.Plain(); r.At >= len(r.Data) || r.Data[r.At] != '"' {
		return nil, r.cutOr(RareSpelling)
	}
	name := r.Data[start:r.At]
	r.At++
	return name, r.Take(':') || r.cutOr(NotJSON)
}

func (r *reader) member(s *shape.Shape, m *shape.MemberSet, name []byte) bool {
	f, again := m.Find(name)
	switch {
	case f != nil:
		return r.once(again) && r.known(f)
	case string(name) == bag.Name && s.HasBag:
		again, m.Bag = m.Bag, true
		return r.allows(r.takesBags, ReservedName) && r.once(again) && r.bag()
	case bag.IsLike(name, bag.Name) && !r.lenient:
		return r.refuse(ReservedName)
	case s.Additional != nil:
		return r.conforms(s.Additional.Shape.Elem)
	default:
		return r.allows(r.lenient, UnknownMember) && r.skip()
	}
}

// known steps over the value of a field. It refuses what is another value, or has another name,
// once it was read.
func (r *reader) known(f *shape.Field) bool {
	if !r.lenient && isOdd(f, r.Peek()) {
		return r.odd(f)
	}
	if f.OmitEmpty {
		return r.counting(f)
	}
	return r.conforms(f.Shape)
}

// isOdd reports whether the name of a field in storage is not that of the API, or a value, by its
// first byte, is a null that stands for an absent one.
func isOdd(f *shape.Field, first byte) bool {
	return f.Shape.Kind == shape.JSON && first == 'n' || bag.IsLike(f.Name, bag.Name)
}

// odd refuses a field for which isOdd holds.
func (r *reader) odd(f *shape.Field) bool {
	if bag.IsLike(f.Name, bag.Name) {
		return r.refuse(ReservedName)
	}
	return r.refuse(WrongType)
}

// bag steps over a property bag.
func (r *reader) bag() bool {
	r.bags = true
	isObject := r.Peek() == '{'
	return r.skip() && r.allows(isObject, UnclearBag) && r.isWithin()
}

// isWithin refuses a property bag of an object that is too large to hide values.
func (r *reader) isWithin() bool {
	return r.allows(r.bagsWithin == 0 || r.At <= r.bagsWithin, TooLarge)
}

// counting steps over a member that its type leaves out when it is empty.
func (r *reader) counting(f *shape.Field) bool {
	r.Peek()
	start := r.At
	if !r.conforms(f.Shape) {
		return false
	}
	switch string(r.Data[start:r.At]) {
	case `""`, "0", "false", "[]", "{}":
		return r.lenient || r.cutOr(RareSpelling)
	default:
		return true
	}
}

// opaque steps over a value whose type reads it by a method of its own. A type that is no pointer
// writes a zero time as null.
func (r *reader) opaque(s *shape.Shape, isPointer bool) bool {
	if s.Type == reflect.TypeFor[metav1.FieldsV1]() {
		return r.fields()
	}
	r.Peek()
	start := r.At
	if !r.skip() {
		return false
	}
	value := r.Data[start:r.At]
	switch s.Type {
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime]():
		isAbsent := (r.lenient || !isPointer) && string(value) == jsontext.Null
		return isAbsent || isTime(value, r.lenient) || r.allows(value[0] == '"', WrongType) && r.refuse(RareSpelling)
	default:
		return r.refuse(RareSpelling)
	}
}

// fields steps over managed fields.
func (r *reader) fields() bool {
	r.Peek()
	start, room := r.At, r.limit-r.depth
	if n := r.repeats.length(r.Data[start:], room); n > 0 {
		r.At += n
		return true
	}
	if !r.skip() {
		return false
	}
	r.repeats.add(r.Data[start:r.At], room)
	return true
}

// isTime reports whether a value is a time that is written as it was read. Where that is not asked
// for, any time will do.
func isTime(value []byte, lenient bool) bool {
	if len(value) < 2 || value[0] != '"' {
		return false
	}
	if isUsualTime(value) {
		return true
	}
	text := jsontext.Borrow(value[1 : len(value)-1])
	t, err := time.Parse(time.RFC3339, text)
	return err == nil && (lenient || len(text) == len(time.RFC3339)-len("07:00") && strings.HasSuffix(text, "Z") && !t.IsZero())
}

// isUsualTime reports whether a value is a time as Kubernetes writes it, which is the same in every
// month.
func isUsualTime(value []byte) bool {
	const usual = `"0000-00-00T00:00:00Z"`
	if len(value) != len(usual) {
		return false
	}
	for i, b := range value {
		if usual[i] == '0' && ('0' > b || b > '9') || usual[i] != '0' && usual[i] != b {
			return false
		}
	}
	two := func(at int) int { return int(value[at]-'0')*10 + int(value[at+1]-'0') }
	month, day := two(6), two(9)
	return two(1) > 0 && 1 <= month && month <= 12 && 1 <= day && day <= 28 && two(12) < 24 && two(15) < 60 && two(18) < 60
}

// expected reads the name of a member with its colon, if it is one of the next fields in their
// usual spelling; else it reads nothing and returns nil.
func (r *reader) expected(m *shape.MemberSet) (f *shape.Field, again bool) {
	r.Peek()
	rest := r.Data[r.At:]
	for i := m.Next; i < min(m.Next+shape.Lookahead, len(m.Of.Fields)); i++ {
		if name := m.Of.Fields[i].Quoted; len(rest) >= len(name) && string(rest[:len(name)]) == name {
			r.At += len(name)
			return m.Add(i)
		}
	}
	return nil, false
}
