package diag

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// Lines is an index of the lines of a text.
type Lines struct {
	body    []byte
	starts  []int
	columns map[int][]int // for long lines, by number: the offset of every stride-th character
}

// stride is the number of characters between two entries of an index.
const stride = 256

// NewLines indexes a text, which must not change afterwards.
func NewLines(body []byte) *Lines {
	l := &Lines{body: body, starts: []int{0}, columns: map[int][]int{}}
	for i, b := range body {
		if b == '\n' {
			l.index(i)
			l.starts = append(l.starts, i+1)
		}
	}
	l.index(len(body))
	return l
}

// index indexes the last line if it is long, so that its columns are found without counting from
// its start.
func (l *Lines) index(end int) {
	line := len(l.starts)
	at := l.starts[line-1]
	if end-at <= stride {
		return
	}
	for n := 0; at < end; n++ {
		if n%stride == 0 {
			l.columns[line] = append(l.columns[line], at)
		}
		_, size := utf8.DecodeRune(l.body[at:end])
		at += size
	}
}

// Offset returns the byte offset of a line and column, both from 1, with columns in characters. A
// column behind the end of the line is its end. If there is no such line, it returns NoOffset.
func (l *Lines) Offset(line, column int) int {
	if line < 1 || line > len(l.starts) {
		return NoOffset
	}
	at := l.starts[line-1]
	if columns := l.columns[line]; columns != nil && column > 1 {
		nearest := min((column-1)/stride, len(columns)-1)
		at, column = columns[nearest], column-nearest*stride
	}
	for ; column > 1 && at < len(l.body) && l.body[at] != '\n'; column-- {
		_, size := utf8.DecodeRune(l.body[at:])
		at += size
	}
	return at
}

// column returns the column, from 1, of an offset within a line.
func (l *Lines) column(line, offset int) int {
	at, column := l.starts[line-1], 1
	if columns := l.columns[line]; columns != nil {
		nearest := max(0, sort.SearchInts(columns, offset+1)-1)
		at, column = columns[nearest], nearest*stride+1
	}
	return column + utf8.RuneCount(l.body[at:offset])
}

// at returns the number of the line, from 1, that contains an offset, and its text without the line
// ending.
func (l *Lines) at(offset int) (int, []byte) {
	line := sort.SearchInts(l.starts, offset+1)
	end := len(l.body)
	if line < len(l.starts) {
		end = l.starts[line] - 1
	}
	return line, bytes.TrimSuffix(l.body[l.starts[line-1]:end], []byte("\r"))
}
