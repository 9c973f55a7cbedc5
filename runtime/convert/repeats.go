package convert

import "bytes"

// repeats remembers JSON objects that were stepped over, so that equal ones need not be parsed
// again. The objects of a list mostly have the same managed fields.
type repeats struct {
	texts [8]repeat
	next  int
}

// repeat is an object, and the nesting depth that was allowed for it.
type repeat struct {
	text []byte
	room int
}

const (
	minRepeat = 64
	maxRepeat = 4 << 10
)

// length returns the length of a remembered object that data begins with. It returns zero if
// there is none, or if its nesting may exceed room.
func (r *repeats) length(data []byte, room int) int {
	for i := range r.texts {
		if t := &r.texts[i]; len(t.text) > 0 && t.room <= room && bytes.HasPrefix(data, t.text) {
			return len(t.text)
		}
	}
	return 0
}

// add remembers an object of 64 bytes to 4 KiB. It replaces the oldest.
func (r *repeats) add(value []byte, room int) {
	if len(value) < minRepeat || len(value) > maxRepeat || value[0] != '{' {
		return
	}
	t := &r.texts[r.next]
	t.text, t.room = append(t.text[:0], value...), room
	r.next = (r.next + 1) % len(r.texts)
}
