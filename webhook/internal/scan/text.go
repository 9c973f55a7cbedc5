package scan

import (
	"fmt"
	"io"
)

// MaxDepth is the depth that JSON text may have in Kubernetes: what its decoders accept.
const MaxDepth = 10000

// Error says what is wrong with JSON text, and where.
type Error struct {
	// Offset is how many bytes stand before the place.
	Offset int64
	// Reason is what is wrong, without any of the text.
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("offset %d: %s", e.Offset, e.Reason) }

// Text is JSON text under way. The zero value is an empty one.
//
// Callers see pieces of it as slices, which are good until the next byte is read, but for what is held: see Hold.
type Text struct {
	src      io.Reader
	buf      []byte
	pos      int
	held     int  // where what is held starts; negative for nothing
	maxHeld  int  // how many bytes may be held; zero for any number
	lost     bool // more was to be held
	lose     func(prefix []byte)
	memory   Memory
	before   int64 // how many bytes were dropped before buf
	failed   error // of src
	maxDepth int
	nest     nesting
}

// Memory gives buffers to a text, and takes them back. An error of Get ends the text as one of its reader does.
type Memory interface {
	// Get returns an empty buffer with at least this capacity.
	Get(size int) ([]byte, error)
	// Put takes back a buffer of which the text needs nothing any more.
	Put(buf []byte)
}

// heap is the memory of texts that have no other.
type heap struct{}

func (heap) Get(size int) ([]byte, error) { return make([]byte, 0, size), nil }
func (heap) Put([]byte)                   {}

// Reset makes the text that of a slice, or, if src is not nil, what the slice and then src hold. The slice is then used
// as a buffer, from its start. A depth that is not between zero and MaxDepth is MaxDepth.
func (t *Text) Reset(data []byte, src io.Reader, maxDepth int) {
	if maxDepth <= 0 || maxDepth > MaxDepth {
		maxDepth = MaxDepth
	}
	t.src, t.buf, t.failed = src, data, nil
	t.pos, t.held, t.before = 0, -1, 0
	t.maxHeld, t.lost, t.lose, t.memory = 0, false, nil, heap{}
	t.maxDepth, t.nest.depth = maxDepth, 0
}

// Bound bounds what the text takes, until Reset: buffers come from memory, and no more than held bytes are held. Where more is to
// be held, the text gives lose what it has, which may be good for a name, and lets go of it. Lost then reports it.
// A memory that is nil is the heap.
func (t *Text) Bound(memory Memory, held int, lose func(prefix []byte)) {
	if memory == nil {
		memory = heap{}
	}
	t.memory, t.maxHeld, t.lose = memory, held, lose
}

// Buffer returns the buffer, for another Reset.
func (t *Text) Buffer() []byte { return t.buf[:0] }

// Offset is how many bytes have been read.
func (t *Text) Offset() int64 { return t.before + int64(t.pos) }

// Hold keeps all from the next byte on in memory, until Release, so that Since and Rewind can reach it. It does not nest.
func (t *Text) Hold() { t.held, t.lost = t.pos, false }

// Lost reports whether more was to be held since Hold than Bound allows. Since, Length and Rewind are then of no use.
func (t *Text) Lost() bool { return t.lost }

// Since returns what was read since Hold, but for the first skip bytes of it.
func (t *Text) Since(skip int) []byte { return t.buf[t.held+skip : t.pos] }

// Length is how many bytes were read since Hold.
func (t *Text) Length() int { return t.pos - t.held }

// Rewind goes back to where Hold was called, plus skip.
func (t *Text) Rewind(skip int) { t.pos = t.held + skip }

// Release ends Hold.
func (t *Text) Release() { t.held = -1 }

const (
	window  = 32 << 10
	minRead = 4 << 10
)

// fill reads at least one more byte, and reports whether there was one.
func (t *Text) fill() bool {
	if t.src == nil || t.failed != nil {
		return false
	}
	if t.failed = t.makeRoom(); t.failed != nil {
		return false
	}
	for range 100 {
		n, err := t.src.Read(t.buf[len(t.buf):cap(t.buf)])
		t.buf = t.buf[:len(t.buf)+n]
		t.failed = err
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	t.failed = io.ErrNoProgress
	return false
}

// makeRoom drops what nobody needs, and gets a larger buffer if that was too little.
func (t *Text) makeRoom() error {
	if cap(t.buf)-len(t.buf) >= minRead {
		return nil
	}
	if t.maxHeld > 0 && t.held >= 0 && len(t.buf)-t.held > t.maxHeld {
		t.lose(t.buf[t.held:])
		t.held, t.lost = -1, true
	}
	first := t.pos
	if t.held >= 0 {
		first = t.held
	}
	needed := t.buf[first:]
	into := t.buf[:0]
	if len(needed)+minRead > cap(t.buf) {
		var err error
		if into, err = t.memory.Get(t.larger(len(needed))); err != nil {
			return err
		}
		defer t.memory.Put(t.buf[:0])
	}
	t.buf = append(into, needed...)
	t.before += int64(first)
	t.pos -= first
	t.held = max(t.held-first, -1)
	return nil
}

// larger is the size of the next buffer: twice that of the last, but hardly more than what may be held.
func (t *Text) larger(needed int) int {
	size := max(window, 2*cap(t.buf))
	if t.maxHeld > 0 {
		size = min(size, t.maxHeld+window)
	}
	return max(size, needed+window)
}

// Err says why the text ended: the error of the reader, or nil at its end.
func (t *Text) Err() error {
	if t.failed == io.EOF {
		return nil
	}
	return t.failed
}

func (t *Text) wrong(reason string) error { return &Error{t.Offset(), reason} }

// ended is the error of text that ends too early.
func (t *Text) ended() error {
	if err := t.Err(); err != nil {
		return fmt.Errorf("offset %d: %w", t.Offset(), err)
	}
	return t.wrong("the text ends too early")
}

// Peek returns the next byte that is not white space, without reading it; zero at the end.
func (t *Text) Peek() byte {
	if t.pos < len(t.buf) && t.buf[t.pos] > ' ' {
		return t.buf[t.pos]
	}
	return t.peek()
}

func (t *Text) peek() byte {
	for {
		for t.pos < len(t.buf) {
			c := t.buf[t.pos]
			if !isSpace(c) {
				return c
			}
			t.pos++
		}
		if !t.fill() {
			return 0
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// Take reads c, after white space, if it is next.
func (t *Text) Take(c byte) bool {
	if t.Peek() != c {
		return false
	}
	t.pos++
	return true
}

// Ahead returns what stands next, without reading it: at least so many bytes, if there are as many.
func (t *Text) Ahead(bytes int) []byte {
	t.Peek()
	for len(t.buf)-t.pos < bytes && t.fill() {
	}
	return t.buf[t.pos:]
}

// Advance reads bytes that Ahead has returned.
func (t *Text) Advance(bytes int) { t.pos += bytes }

// Room is how many objects and lists may still be opened within each other.
func (t *Text) Room() int { return t.maxDepth - t.nest.depth }

// Expect reads c, after white space.
func (t *Text) Expect(c byte) error {
	switch t.Peek() {
	case c:
		t.pos++
		return nil
	case 0:
		return t.orZero()
	default:
		return t.wrong("expected " + string(rune(c)))
	}
}

// orZero tells the end from a zero byte.
func (t *Text) orZero() error {
	if t.pos < len(t.buf) {
		return t.wrong("a byte that no value starts with")
	}
	return t.ended()
}

// End demands that nothing but white space is left.
func (t *Text) End() error {
	if t.Peek() != 0 || t.pos < len(t.buf) {
		return t.wrong("something stands behind the value")
	}
	return t.Err()
}

// Enter reads the { or [ that opens an object or a list. Next then goes to its first member or element.
func (t *Text) Enter(open byte) error {
	if err := t.Expect(open); err != nil {
		return err
	}
	if t.nest.depth >= t.maxDepth {
		return t.tooDeep()
	}
	t.nest.push(open == '{')
	return nil
}

// Next goes to the next member or element of what Enter began, or behind its end. It reports whether there is one; first says
// whether it is the first.
func (t *Text) Next(first bool) (bool, error) {
	closing := byte(']')
	if t.nest.object {
		closing = '}'
	}
	switch c := t.Peek(); {
	case c == closing:
		t.pos++
		t.nest.pop()
		return false, nil
	case first:
		return true, nil
	case c == ',':
		t.pos++
		return true, nil
	case c == 0:
		return false, t.orZero()
	default:
		return false, t.wrong("expected a comma or a closing bracket")
	}
}

func (t *Text) tooDeep() error {
	return t.wrong(fmt.Sprintf("more than %d levels deep", t.maxDepth))
}
