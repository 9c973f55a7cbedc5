package convert

import "bytes"

// repeats remembers JSON objects that were stepped over, to step over them at once where they stand
// again: the objects of a list mostly have the same managed fields.
type repeats struct {
	texts [8]repeat
	next  int
}

// repeat is an object, and how deep it might have been nested.
type repeat struct {
	text []byte
	room int
}

const (
	minRepeat = 64
	maxRepeat = 4 << 10
)

// length is how long the object is that the JSON begins with, if it is known and may be nested so
// deep; else zero.
func (r *repeats) length(data []byte, room int) int {
	for i := range r.texts {
		if t := &r.texts[i]; len(t.text) > 0 && t.room <= room && bytes.HasPrefix(data, t.text) {
			return len(t.text)
		}
	}
	return 0
}

// add remembers a value, if it is an object of a size that pays, in the place of the one that was
// added first.
func (r *repeats) add(value []byte, room int) {
	if len(value) < minRepeat || len(value) > maxRepeat || value[0] != '{' {
		return
	}
	t := &r.texts[r.next]
	t.text, t.room = append(t.text[:0], value...), room
	r.next = (r.next + 1) % len(r.texts)
}
