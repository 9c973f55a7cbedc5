package model

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A scanner reads a text line by line, and a line token by token. After the first error of a
// line, all reads return empty results and report no further error. The block below that line is
// skipped.
type scanner struct {
	faults
	first int  // the position of the line's first token
	pos   int  // the position of the next byte
	eol   int  // the position of the end of the line
	depth int  // the line's indentation in steps; -1 after the last line
	bad   bool // the line has an error
	items []string
}

func newScanner(name, text string) scanner {
	s := scanner{faults: faults{file: name, text: text}, eol: -1}
	s.next()
	return s
}

// next moves to the first token of the next line that is not blank.
func (s *scanner) next() {
	for s.eol < len(s.text) {
		s.open(s.eol + 1)
		if s.first < s.eol {
			return
		}
	}
	s.depth = -1
}

// open moves to the first token of the line that begins at start. A line that is indented by tabs
// counts as deep as the previous line.
func (s *scanner) open(start int) {
	s.pos, s.eol, s.bad = start, len(s.text), false
	if n := strings.IndexByte(s.text[start:], '\n'); n >= 0 {
		s.eol = start + n
	}
	for s.pos < s.eol && s.text[s.pos] == ' ' {
		s.pos++
	}
	s.first = s.pos
	if s.peek() == '\t' {
		s.fail("indented by a tab; a step is two spaces")
		return
	}
	indent := s.pos - start
	s.depth = indent / 2
	if indent%2 == 1 && s.pos < s.eol {
		s.fail("indented by %d spaces; a step is two", indent)
	}
}

// line reports whether the next line belongs to the block of the given depth. It reports deeper
// lines as errors.
func (s *scanner) line(depth int) bool {
	if s.depth > depth {
		s.fail("indented too far")
		s.skip(depth)
	}
	return s.depth == depth
}

// end finishes a line and goes to the next one.
func (s *scanner) end() {
	if s.pos < s.eol {
		s.expected("the end of the line")
	}
	depth, bad := s.depth, s.bad
	s.next()
	if bad {
		s.skip(depth)
	}
}

// skip skips all lines that are deeper than depth.
func (s *scanner) skip(depth int) {
	for s.depth > depth {
		s.next()
	}
}

// fail reports an error at the next byte, unless the line already has one.
func (s *scanner) fail(format string, args ...any) {
	s.failAt(s.pos, format, args...)
}

func (s *scanner) failAt(at int, format string, args ...any) {
	if s.bad {
		return
	}
	s.report(at, format, args...)
	s.bad = true
	if s.full() {
		s.eol = len(s.text)
	}
	s.pos = s.eol
}

func (s *scanner) expected(what string) {
	if !s.bad {
		s.fail("expected %s, found %s", what, s.found())
	}
}

// found describes the text at the next byte.
func (s *scanner) found() string {
	const most = 32
	rest := s.text[s.pos:s.eol]
	switch {
	case rest == "":
		return "the end of the line"
	case rest[0] == ' ':
		return "a space"
	}
	_, n := utf8.DecodeRuneInString(rest)
	for isWord(rest[0]) && n < len(rest) && n < most && isWord(rest[n]) {
		n++
	}
	return strconv.Quote(rest[:n])
}
