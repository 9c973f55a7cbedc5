package scan

import (
	"fmt"
	"io"
)

// MaxDepth is the depth of JSON text that the decoders of Kubernetes accept.
const MaxDepth = 10000

// Error is a fault in JSON text, with its offset.
type Error struct {
	// Offset is the number of bytes before the error.
	Offset int64
	// Reason describes the error without quoting the text.
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("offset %d: %s", e.Offset, e.Reason) }

// Text is JSON text that is being read. The zero value is an empty text.
//
// Methods return slices of its buffer, which are valid until the next byte is read. Hold makes them
// valid for longer.
type Text struct {
	src       io.Reader
	buf       []byte
	pos       int
	start     int  // where the stored bytes start; negative for none
	maxStored int  // how many bytes may be stored; zero for any number
	lost      bool // more than maxStored bytes were to be stored
	lose      func(prefix []byte)
	memory    Memory
	before    int64 // bytes that were dropped before buf
	failed    error // the error of src
	maxDepth  int
	nest      nesting
}

// Memory provides buffers for a text, and takes them back. An error of Get ends the text like an
// error of its reader.
type Memory interface {
	// Get returns an empty buffer with at least the given capacity.
	Get(size int) ([]byte, error)
	// Put takes back a buffer that the text no longer uses.
	Put(buf []byte)
}

// heap is the default memory.
type heap struct{}

func (heap) Get(size int) ([]byte, error) { return make([]byte, 0, size), nil }
func (heap) Put([]byte)                   {}

// Reset prepares the text to read a slice, and then src if that is not nil. The text then uses the
// slice as a buffer, from its start. A maxDepth that is not between zero and MaxDepth is replaced
// by MaxDepth.
func (t *Text) Reset(data []byte, src io.Reader, maxDepth int) {
	if maxDepth <= 0 || maxDepth > MaxDepth {
		maxDepth = MaxDepth
	}
	t.src, t.buf, t.failed = src, data, nil
	t.pos, t.start, t.before = 0, -1, 0
	t.maxStored, t.lost, t.lose, t.memory = 0, false, nil, heap{}
	t.maxDepth, t.nest.depth = maxDepth, 0
}

// Bound sets what the text may use, until Reset. Buffers come from memory; nil is the heap. At most
// most bytes are stored. If there are more, the text passes what it has to lose, which may find a
// name there, and drops it. Lost then returns true.
func (t *Text) Bound(memory Memory, most int, lose func(prefix []byte)) {
	if memory == nil {
		memory = heap{}
	}
	t.memory, t.maxStored, t.lose = memory, most, lose
}

// Buffer returns the buffer, for another Reset.
func (t *Text) Buffer() []byte { return t.buf[:0] }

// Offset returns how many bytes have been read.
func (t *Text) Offset() int64 { return t.before + int64(t.pos) }

// Hold keeps all bytes from the next one on in memory until Release, so that Since and Rewind can
// reach them. Calls do not nest.
func (t *Text) Hold() { t.start, t.lost = t.pos, false }

// Lost reports whether more bytes were to be stored since Hold than Bound allows. Since, Length and
// Rewind are then not valid.
func (t *Text) Lost() bool { return t.lost }

// Since returns what was read since Hold, without its first skip bytes.
func (t *Text) Since(skip int) []byte { return t.buf[t.start+skip : t.pos] }

// Length returns how many bytes were read since Hold.
func (t *Text) Length() int { return t.pos - t.start }

// Rewind returns to the position of Hold, plus skip.
func (t *Text) Rewind(skip int) { t.pos = t.start + skip }

// Release ends Hold.
func (t *Text) Release() { t.start = -1 }

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

// makeRoom drops bytes that are no longer needed, and gets a larger buffer if that is not enough.
func (t *Text) makeRoom() error {
	if cap(t.buf)-len(t.buf) >= minRead {
		return nil
	}
	if t.maxStored > 0 && t.start >= 0 && len(t.buf)-t.start > t.maxStored {
		t.lose(t.buf[t.start:])
		t.start, t.lost = -1, true
	}
	first := t.pos
	if t.start >= 0 {
		first = t.start
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
	t.start = max(t.start-first, -1)
	return nil
}

// larger returns the size of the next buffer: twice that of the last, but little more than the
// number of bytes that may be stored.
func (t *Text) larger(needed int) int {
	size := max(window, 2*cap(t.buf))
	if t.maxStored > 0 {
		size = min(size, t.maxStored+window)
	}
	return max(size, needed+window)
}

// Err returns why the text ended: the error of the reader, or nil at its end.
func (t *Text) Err() error {
	if t.failed == io.EOF {
		return nil
	}
	return t.failed
}

func (t *Text) wrong(reason string) error { return &Error{t.Offset(), reason} }

// ended returns the error of text that ends too early.
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

// Take reads c, after white space, if it is next. It reports whether it did.
func (t *Text) Take(c byte) bool {
	if t.Peek() != c {
		return false
	}
	t.pos++
	return true
}

// Ahead returns the next bytes without reading them: at least the given number, if there are as
// many.
func (t *Text) Ahead(bytes int) []byte {
	t.Peek()
	for len(t.buf)-t.pos < bytes && t.fill() {
	}
	return t.buf[t.pos:]
}

// Advance reads bytes that Ahead has returned.
func (t *Text) Advance(bytes int) { t.pos += bytes }

// Room returns how many more objects and lists may be nested.
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

// orZero distinguishes the end from a zero byte.
func (t *Text) orZero() error {
	if t.pos < len(t.buf) {
		return t.wrong("a byte that no value starts with")
	}
	return t.ended()
}

// End returns an error unless only white space is left.
func (t *Text) End() error {
	if t.Peek() != 0 || t.pos < len(t.buf) {
		return t.wrong("the value is followed by other text")
	}
	return t.Err()
}

// Enter reads the { or [ that opens an object or a list. Next then moves to its first member or
// element.
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

// Next moves to the next member or element of the object or list that Enter opened, or behind its
// end. It reports whether there is one. first reports whether it would be the first.
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
