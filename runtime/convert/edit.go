package convert

import (
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// edit is one conversion of an object's JSON. What it reads it copies to out as it stands, but for
// what a plan changes. Its methods that return a bool refuse with false what an object has to be
// made of; out is of no use then.
type edit struct {
	reader
	out []byte
	// down means that the object becomes one of an API version, whose status
	// bag has the bytes of property bags.
	down bool
	// stash is what goes to the property bags of the objects that are being read, the innermost
	// last.
	stash []stashed
	// originalText is the original version as it was read, a JSON string.
	originalText []byte
	// statusBag is status.propertyBag as it was read, a JSON string; inStatus means that it may
	// come.
	statusBag []byte
	// bagged means that a property bag was written.
	bagged   bool
	inStatus bool
	// bagBytes counts the bytes of property bags that were read once more, since bags within bags
	// are read at each level.
	bagBytes int
	// between and hub are room for what is between two passes, and two conversions; gathered is
	// room for an object whose spec stood at the root.
	between, hub, gathered []byte
	// length is the length of the object in the text; zero while it is not known.
	length int
}

// stashed is the value of a member that goes to a property bag: it lies between two places in what
// is read. Key is the index of the key that it gets. Or took is a value that was taken out of the
// bag.
type stashed struct {
	to         *recastMember
	shape      *shape.Shape
	start, end int
	key        int
	took       []byte
}

// copy copies a value as it stands.
func (e *edit) copy(s *shape.Shape) bool {
	e.Peek()
	start := e.At
	if !e.conforms(s) {
		return false
	}
	e.out = append(e.out, e.Data[start:e.At]...)
	return true
}

// copied is follows, and writes the comma.
func (e *edit) copied(closing byte) (another, ok bool) {
	if another, ok = e.Follows(closing); another {
		e.out = append(e.out, ',')
	}
	return another, ok || e.cutOr(NotJSON)
}

// name begins a member, behind a comma where it is not the first. The name is JSON with its colon.
func (e *edit) name(name string) {
	e.begin()
	e.out = append(e.out, name...)
}

func (e *edit) begin() {
	if last := e.out[len(e.out)-1]; last != '{' && last != '[' {
		e.out = append(e.out, ',')
	}
}

// insert puts text into out.
func (e *edit) insert(at int, text []byte) {
	e.out = append(e.out, text...)
	copy(e.out[at+len(text):], e.out[at:len(e.out)-len(text)])
	copy(e.out[at:], text)
}

// reset forgets all but memory and the context.
func (e *edit) reset(dst, object []byte) {
	e.unstash(0)
	*e = edit{out: dst, stash: e.stash, between: e.between, hub: e.hub, gathered: e.gathered, length: e.length,
		reader: reader{Cursor: jsontext.Cursor{Data: object, Watch: e.Watch}, limit: jsontext.MaxDepth, repeats: e.repeats, own: e.own}}
}

// unstash forgets what was stashed last, so that nothing of the object is behind the length of the
// stash.
func (e *edit) unstash(mark int) {
	clear(e.stash[mark:])
	e.stash = e.stash[:mark]
}
