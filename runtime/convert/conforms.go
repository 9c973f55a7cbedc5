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

// conforms steps over a value, and reports whether it conforms to the shape.
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
	if !r.Watch.OK() {
		return r.refuse(Canceled)
	}
	start := r.At
	switch s.Kind {
	case shape.Text:
		return r.Peek() == '"' && r.SkipText() || r.mismatch(start)
	case shape.Integer:
		return r.skipInteger() || r.mismatch(start)
	case shape.Number:
		return r.skipFloat() || r.mismatch(start)
	case shape.Bool:
		return r.skipTruth() || r.mismatch(start)
	case shape.JSON:
		return r.skip()
	default:
		return r.opaque(s, isPointer)
	}
}

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

// key steps over a key of a map and the colon. It refuses a key that has another name in storage
// than in the API.
func (r *reader) key() bool {
	if r.Peek() != '"' {
		return r.cutOr(NotJSON)
	}
	start := r.At
	if !r.SkipText() {
		return r.cutOr(NotJSON)
	}
	text := r.Data[start:r.At]
	if text[1] != '$' && text[1] != '\\' || !bag.IsLike(jsontext.Unquoted(text), bag.Name) {
		return r.Take(':') || r.cutOr(NotJSON)
	}
	return r.refuse(ReservedName)
}

func (r *reader) object(s *shape.Shape) bool {
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
	return m.IsComplete() || r.refuse(MissingMember)
}

// next steps over a member of an object.
func (r *reader) next(s *shape.Shape, m *shape.MemberSet) bool {
	if f, again := r.expected(m); f != nil {
		return r.once(again) && r.known(f)
	}
	name, ok := r.plainName()
	return ok && r.member(s, m, name)
}

// plainName reads the name of a member and steps over the colon. It refuses a name with escapes.
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
	case bag.IsLike(name, bag.Name):
		return r.refuse(ReservedName)
	case s.Additional != nil:
		return r.conforms(s.Additional.Shape.Elem)
	default:
		return r.refuse(UnknownMember)
	}
}

// known steps over the value of a field. It refuses a value or a name that decoding and encoding
// would change.
func (r *reader) known(f *shape.Field) bool {
	switch {
	case f.IsPlain:
		return r.conforms(f.Shape)
	case isOdd(f, r.Peek()):
		return r.odd(f)
	case f.OmitEmpty:
		return r.counting(f)
	default:
		return r.conforms(f.Shape)
	}
}

// isOdd reports whether a field has another name in storage than in the API, or is free JSON with
// the value null. Null then stands for an absent value. First is the first byte of the value.
func isOdd(f *shape.Field, first byte) bool {
	return f.Shape.Kind == shape.JSON && first == 'n' || len(f.Name) >= len(bag.Name) && bag.IsLike(f.Name, bag.Name)
}

// odd refuses a field for which isOdd reports true.
func (r *reader) odd(f *shape.Field) bool {
	if bag.IsLike(f.Name, bag.Name) {
		return r.refuse(ReservedName)
	}
	return r.refuse(WrongType)
}

// bag steps over a property bag, which must be an object.
func (r *reader) bag() bool {
	r.bags = true
	isObject := r.Peek() == '{'
	return r.skip() && r.allows(isObject, UnclearBag) && r.isWithin()
}

// isWithin refuses a property bag behind the first bagsWithin bytes, because the object is too
// large to hide values.
func (r *reader) isWithin() bool {
	return r.allows(r.bagsWithin == 0 || r.At <= r.bagsWithin, TooLarge)
}

// counting steps over a member with omitempty. It refuses an empty value.
func (r *reader) counting(f *shape.Field) bool {
	r.Peek()
	start := r.At
	if !r.conforms(f.Shape) {
		return false
	}
	switch string(r.Data[start:r.At]) {
	case `""`, "0", "false", "[]", "{}":
		return r.cutOr(RareSpelling)
	default:
		return true
	}
}

// whole steps over an integer, and reports whether the type has it.
func (r *reader) whole(s *shape.Shape) bool {
	r.Peek()
	start := r.At
	if !r.skipInteger() {
		return r.mismatch(start)
	}
	v, err := strconv.ParseInt(jsontext.Borrow(r.Data[start:r.At]), 10, 64)
	return err == nil && s.HasWhole(v) || r.mismatch(start)
}

// opaque steps over a value whose type has its own UnmarshalJSON. It accepts only times and
// integers. A type that is no pointer writes a zero time as null.
func (r *reader) opaque(s *shape.Shape, isPointer bool) bool {
	if s.Whole {
		return r.whole(s)
	}
	value, ok := r.raw()
	if !ok {
		return false
	}
	switch {
	case !isTimeShape(s):
		return r.refuse(RareSpelling)
	case !isPointer && string(value) == jsontext.Null, isTime(value):
		return true
	default:
		return r.allows(value[0] == '"', WrongType) && r.refuse(RareSpelling)
	}
}

// isTimeShape reports whether a shape is that of metav1.Time or metav1.MicroTime.
func isTimeShape(s *shape.Shape) bool {
	return s.Type == reflect.TypeFor[metav1.Time]() || s.Type == reflect.TypeFor[metav1.MicroTime]()
}

// isTime reports whether a value is a time that decoding and encoding do not change.
func isTime(value []byte) bool {
	if isUsualTime(value) {
		return true
	}
	t, ok := readTime(value)
	return ok && len(value) == len(usualTime) && strings.HasSuffix(jsontext.Borrow(value), `Z"`) && !t.IsZero()
}

// readTime parses a time in any RFC 3339 spelling.
func readTime(value []byte) (t time.Time, ok bool) {
	if len(value) < 2 || value[0] != '"' {
		return t, false
	}
	t, err := time.Parse(time.RFC3339, jsontext.Borrow(value[1:len(value)-1]))
	return t, err == nil
}

// usualTime is the format of times in Kubernetes, with zeros for the digits.
const usualTime = `"0000-00-00T00:00:00Z"`

// isUsualTime reports whether a value is a valid time as Kubernetes writes it. It reports false
// for days after the 28th, whose validity depends on the month.
func isUsualTime(value []byte) bool {
	if len(value) != len(usualTime) {
		return false
	}
	for i, b := range value {
		if usualTime[i] == '0' && ('0' > b || b > '9') || usualTime[i] != '0' && usualTime[i] != b {
			return false
		}
	}
	two := func(at int) int { return int(value[at]-'0')*10 + int(value[at+1]-'0') }
	month, day := two(6), two(9)
	return two(1) > 0 && 1 <= month && month <= 12 && 1 <= day && day <= 28 && two(12) < 24 && two(15) < 60 && two(18) < 60
}

// expected reads the name of a member and its colon if it is one of the next shape.Lookahead
// fields, in its usual spelling. Else it reads nothing and returns nil.
func (r *reader) expected(m *shape.MemberSet) (f *shape.Field, again bool) {
	r.Peek()
	if f, again = m.Expected(r.Data[r.At:]); f != nil {
		r.At += len(f.Quoted)
	}
	return f, again
}
