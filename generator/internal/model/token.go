package model

import (
	"slices"
	"strconv"
	"strings"
)

// peek returns the next byte of the line, or 0 at its end.
func (s *scanner) peek() byte {
	if s.pos < s.eol {
		return s.text[s.pos]
	}
	return 0
}

// eat reads the text and reports true if it is next.
func (s *scanner) eat(text string) bool {
	if !strings.HasPrefix(s.text[s.pos:s.eol], text) {
		return false
	}
	s.pos += len(text)
	return true
}

// accept reads the text; it is an error if another text is next.
func (s *scanner) accept(text string) {
	if !s.eat(text) {
		s.expected(strconv.Quote(text))
	}
}

// space reads one space; it is an error if another text is next.
func (s *scanner) space() {
	if !s.eat(" ") {
		s.expected("a space")
	}
}

// starts reads word and the space after it if the line begins with them. It does not report a
// missing space; the caller's next read does.
func (s *scanner) starts(word string) bool {
	rest, ok := strings.CutPrefix(s.text[s.pos:s.eol], word)
	if !ok || rest != "" && rest[0] != ' ' {
		return false
	}
	s.pos = s.eol - len(rest)
	s.eat(" ")
	return true
}

// once reports an error if the declaration of the line was given before.
func (s *scanner) once(given bool, what string) {
	if given {
		s.failAt(s.first, "%s is given twice", what)
	}
}

// key reads a keyword of the notation; it returns an empty string if there is none.
func (s *scanner) key() string {
	start := s.pos
	for c := s.peek() | 0x20; c >= 'a' && c <= 'z'; c = s.peek() | 0x20 {
		s.pos++
	}
	return s.text[start:s.pos]
}

// word reads a name, bare or quoted.
func (s *scanner) word() string {
	if s.peek() == '"' {
		return s.quoted()
	}
	start := s.pos
	for s.pos < s.eol && wordBytes[s.text[s.pos]] {
		s.pos++
	}
	if s.pos == start {
		s.expected("a name")
	}
	return s.text[start:s.pos]
}

var wordBytes = func() (t [256]bool) {
	for c := range t {
		t[c] = isWord(byte(c))
	}
	return t
}()

// quoted reads a quoted string. Bytes that are not escaped are taken verbatim, even if they are
// not valid UTF-8.
func (s *scanner) quoted() string {
	if s.peek() != '"' {
		s.expected("a quoted string")
		return ""
	}
	rest := s.text[s.pos+1 : s.eol]
	end := closing(rest)
	if end < 0 {
		s.fail("string without an end")
		return ""
	}
	s.pos += end + 2
	if strings.IndexByte(rest[:end], '\\') < 0 {
		return rest[:end]
	}
	return s.unescape(rest[:end])
}

// closing returns the index of the quote that ends a string, or -1.
func closing(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return -1
}

// unescape returns the value of the string that was just read.
func (s *scanner) unescape(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for rest := text; ; {
		n := strings.IndexByte(rest, '\\')
		if n < 0 {
			b.WriteString(rest)
			return b.String()
		}
		b.WriteString(rest[:n])
		r, multibyte, tail, err := strconv.UnquoteChar(rest[n:], '"')
		switch {
		case err != nil:
			s.failAt(s.pos-1-len(rest)+n, "invalid escape in a string")
			return ""
		case multibyte:
			b.WriteRune(r)
		default:
			b.WriteByte(byte(r))
		}
		rest = tail
	}
}

// words reads names up to the closing parenthesis.
func (s *scanner) words() []string { return s.list(" ", (*scanner).word) }

// values reads JSON values up to the closing parenthesis.
func (s *scanner) values() []string { return s.list(", ", (*scanner).json) }

func (s *scanner) list(sep string, item func(*scanner) string) []string {
	s.items = s.items[:0]
	for !s.bad && !s.eat(")") {
		if len(s.items) > 0 {
			s.accept(sep)
		}
		s.items = append(s.items, item(s))
	}
	if len(s.items) == 0 {
		return nil
	}
	return slices.Clone(s.items)
}
