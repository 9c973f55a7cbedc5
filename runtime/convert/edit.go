package convert

import (
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// edit holds the state of one conversion of an object's JSON. It copies values to out as they are
// spelled, except for those that a plan changes. Methods that return a bool return false if they
// refuse the object; then out must not be used.
type edit struct {
	reader
	out []byte
	// exact means that the entries of property bags need the bytes that Go types write, because a
	// status bag will have them. That is so unless the result is stored.
	exact bool
	// through means that the result is of the hub, and converted at once to an API version.
	through bool
	// stash has the values that go to the property bags of the objects that are being read, the
	// innermost last.
	stash []stashed
	// originalText is the original version in the source, a JSON string.
	originalText []byte
	// statusBag is status.propertyBag in the source, a JSON string. inStatus means that the
	// status is being read, and may have that member.
	statusBag []byte
	// statusBagEnd is the offset of its end in the source.
	statusBagEnd int
	// listsLong is set while the spec is edited, down to its members. long has the spans in out of
	// its long members, with their names.
	listsLong bool
	long      []jsontext.Range
	// bagged means that a property bag was written.
	bagged   bool
	inStatus bool
	// changed counts the bytes of objects with declared changes.
	changed int
	// bagBytes counts the bytes of property bags that were read again. A bag within a bag is read
	// once for each level.
	bagBytes int
	// between is a buffer for the text between two passes, and hub for the text between two
	// conversions. gathered is a buffer for an object whose spec was at the root.
	between, hub, gathered []byte
	// length is the length of the object in the text, or zero if it is not known.
	length int
}

// stashed is the value of a member that goes to a property bag: the bytes from start to end of
// the source. Key is the index of its key in to.stow. If took is set, it is instead a value that
// was taken out of the bag.
type stashed struct {
	to         *recastMember
	shape      *shape.Shape
	start, end int
	key        int
	took       []byte
}

// copy steps over a value of the shape and appends it to out.
func (e *edit) copy(s *shape.Shape) bool {
	e.Peek()
	start := e.At
	if !e.conforms(s) {
		return false
	}
	e.out = append(e.out, e.Data[start:e.At]...)
	return true
}

// copied is Follows, but also writes the comma, and refuses text that is not JSON.
func (e *edit) copied(closing byte) (another, ok bool) {
	if another, ok = e.Follows(closing); another {
		e.out = append(e.out, ',')
	}
	return another, ok || e.cutOr(NotJSON)
}

// name writes the name of a member, which is JSON with its colon. It writes a comma before it
// unless the member is the first.
func (e *edit) name(name string) {
	e.begin()
	e.out = append(e.out, name...)
}

func (e *edit) begin() {
	if last := e.out[len(e.out)-1]; last != '{' && last != '[' {
		e.out = append(e.out, ',')
	}
}

// insert inserts text into out at at.
func (e *edit) insert(at int, text []byte) {
	e.out = append(e.out, text...)
	copy(e.out[at+len(text):], e.out[at:len(e.out)-len(text)])
	copy(e.out[at:], text)
}

// reset prepares the edit for another object. It keeps only buffers and the context.
func (e *edit) reset(dst, object []byte) {
	e.unstash(0)
	*e = edit{out: dst, stash: e.stash, between: e.between, hub: e.hub, gathered: e.gathered, long: e.long[:0], length: e.length, through: e.through,
		reader: reader{Cursor: jsontext.Cursor{Data: object, Watch: e.Watch}, limit: jsontext.MaxDepth, repeats: e.repeats, own: e.own}}
}

// unstash truncates the stash to its first mark entries. It clears the others, so that the memory
// does not refer to the object.
func (e *edit) unstash(mark int) {
	clear(e.stash[mark:])
	e.stash = e.stash[:mark]
}
