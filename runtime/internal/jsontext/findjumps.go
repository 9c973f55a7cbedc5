package jsontext

import "slices"

// FindJumps returns the long values of JSON, and nil if the JSON itself is not long.
func FindJumps(data []byte) *Jumps {
	if len(data) < longValue {
		return nil
	}
	j := &Jumps{data: data}
	var open []uint32
	c := Cursor{Data: data}
	for {
		switch b := c.Peek(); b {
		case 0:
			slices.Sort(j.spans) // they were found in the order of their ends
			return j
		case '[', '{':
			open = append(open, uint32(c.At))
			c.At++
		case ']', '}':
			c.At++
			if last := len(open) - 1; last >= 0 {
				if c.At-int(open[last]) >= longValue {
					j.spans = append(j.spans, uint64(open[last])<<32|uint64(c.At))
				}
				open = open[:last]
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

// longValue is the least length of a value in Jumps.
const longValue = 256
