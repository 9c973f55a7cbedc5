package jsontext

import "slices"

// FindJumps returns the long values of JSON, and nil if the JSON itself is not long.
func FindJumps(data []byte) *Jumps {
	if len(data) < LongValue {
		return nil
	}
	j := &Jumps{data: data}
	open := none
	c := Cursor{Data: data}
	for {
		switch b := c.Peek(); b {
		case 0:
			j.removeOpen(open)
			return j
		case '[', '{':
			j.spans = append(j.spans, uint64(c.At)<<32|uint64(open+1))
			open = len(j.spans) - 1
			c.At++
		case ']', '}':
			if c.At++; open != none {
				open = j.closeAt(open, c.At)
			}
		case '"':
			if !c.SkipText() {
				return nil
			}
		default:
			c.At++
		}
	}
}

// Range is a range of a text.
type Range struct{ Start, End int }

// JumpsOf returns the values of some members of an object. Their ranges are in order, in a text
// where the object begins at an offset, and begin with the name or with the comma before it.
func JumpsOf(object []byte, offset int, members []Range) *Jumps {
	j := &Jumps{data: object, spans: make([]uint64, 0, len(members))}
	for _, m := range members {
		c := Cursor{Data: object[:m.End-offset], At: m.Start - offset}
		c.Take(',')
		c.Name()
		if first := c.Peek(); first == '{' || first == '[' {
			j.spans = append(j.spans, uint64(c.At)<<32|uint64(m.End-offset))
		}
	}
	return j
}

// LongValue is the least length of a value in Jumps.
const LongValue = 256

// none is the index of no value.
const none = -1

// closeAt sets the end of the innermost open value, or removes the value if it is short. The span
// of an open value has one more than the index of the open value around it, which closeAt returns.
func (j *Jumps) closeAt(open, end int) (outer int) {
	span := j.spans[open]
	if start := span >> 32; end-int(start) >= LongValue {
		j.spans[open] = start<<32 | uint64(end)
	} else {
		j.spans = j.spans[:open] // the values within it are short, and removed
	}
	return outerOf(span)
}

// outerOf returns the index of the value around an open one.
func outerOf(span uint64) int { return int(uint32(span)) - 1 }

// removeOpen removes the values that have no end.
func (j *Jumps) removeOpen(open int) {
	if open == none {
		return
	}
	for open != none {
		span := j.spans[open]
		j.spans[open], open = 0, outerOf(span)
	}
	j.spans = slices.DeleteFunc(j.spans, func(span uint64) bool { return span == 0 })
}
