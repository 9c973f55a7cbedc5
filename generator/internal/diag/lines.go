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
	marks  map[int][]int // of long lines, by number: the offset of every stride-th character
}

// stride is how many characters lie between two marks.
const stride = 256

// NewLines looks through a text once; the text must not change afterwards.
func NewLines(body []byte) *Lines {
	l := &Lines{body: body, starts: []int{0}, marks: map[int][]int{}}
	for i, b := range body {
		if b == '\n' {
			l.mark(i)
			l.starts = append(l.starts, i+1)
		}
	}
	l.mark(len(body))
	return l
}

// mark marks the last line if it is long, so that its columns are found without counting from its start.
func (l *Lines) mark(end int) {
	line := len(l.starts)
	at := l.starts[line-1]
	if end-at <= stride {
		return
	}
	for n := 0; at < end; n++ {
		if n%stride == 0 {
			l.marks[line] = append(l.marks[line], at)
		}
		_, size := utf8.DecodeRune(l.body[at:end])
		at += size
	}
}

// Offset is the byte offset of a line and column, both from 1, columns in
// characters. A column beyond the line is its end; without such a line it is
// NoOffset.
func (l *Lines) Offset(line, column int) int {
	if line < 1 || line > len(l.starts) {
		return NoOffset
	}
	at := l.starts[line-1]
	if marks := l.marks[line]; marks != nil && column > 1 {
		nearest := min((column-1)/stride, len(marks)-1)
		at, column = marks[nearest], column-nearest*stride
	}
	for ; column > 1 && at < len(l.body) && l.body[at] != '\n'; column-- {
		_, size := utf8.DecodeRune(l.body[at:])
		at += size
	}
	return at
}

// column is the column, from 1, of an offset that a line holds.
func (l *Lines) column(line, offset int) int {
	at, column := l.starts[line-1], 1
	if marks := l.marks[line]; marks != nil {
		nearest := max(0, sort.SearchInts(marks, offset+1)-1)
		at, column = marks[nearest], nearest*stride+1
	}
	return column + utf8.RuneCount(l.body[at:offset])
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
