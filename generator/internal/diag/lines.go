package diag

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// Lines knows where the lines of a text start.
type Lines struct {
	body   []byte
	starts []int
}

// NewLines looks through a text once; the text must not change afterwards.
func NewLines(body []byte) *Lines {
	starts := []int{0}
	for i, b := range body {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	return &Lines{body: body, starts: starts}
}

// Offset is the byte offset of a line and column, both from 1, columns in
// characters. A column beyond the line is its end; without such a line it is
// NoOffset.
func (l *Lines) Offset(line, column int) int {
	if line < 1 || line > len(l.starts) {
		return NoOffset
	}
	at := l.starts[line-1]
	for ; column > 1 && at < len(l.body) && l.body[at] != '\n'; column-- {
		_, size := utf8.DecodeRune(l.body[at:])
		at += size
	}
	return at
}

// at gives the line, from 1, that holds an offset, and its text without the end.
func (l *Lines) at(offset int) (int, []byte) {
	line := sort.SearchInts(l.starts, offset+1)
	end := len(l.body)
	if line < len(l.starts) {
		end = l.starts[line] - 1
	}
	return line, bytes.TrimSuffix(l.body[l.starts[line-1]:end], []byte("\r"))
}
