package model

// json reads one JSON value without space between its tokens, and returns its text.
func (s *scanner) json() string {
	start := s.pos
	s.value(0)
	return s.text[start:s.pos]
}

// number reads a JSON number, and returns its text.
func (s *scanner) number() string {
	start := s.pos
	s.eat("-")
	if !s.eat("0") {
		s.digits()
	}
	if s.eat(".") {
		s.digits()
	}
	if s.eat("e") || s.eat("E") {
		_ = s.eat("+") || s.eat("-")
		s.digits()
	}
	return s.text[start:s.pos]
}

func (s *scanner) digits() {
	if !isDigit(s.peek()) {
		s.expected("a digit")
	}
	for isDigit(s.peek()) {
		s.pos++
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (s *scanner) value(depth int) {
	c := s.peek()
	switch {
	case depth == maxNesting:
		s.fail("JSON nested deeper than %d", maxNesting)
	case c == '"':
		s.jsonString()
	case c == '-' || isDigit(c):
		s.number()
	case c == '[':
		s.array(depth)
	case c == '{':
		s.members(depth)
	case s.eat("null"), s.eat("true"), s.eat("false"):
	default:
		s.expected("a JSON value")
	}
}

func (s *scanner) array(depth int) {
	s.accept("[")
	for first := true; !s.bad && !s.eat("]"); first = false {
		if !first {
			s.accept(",")
		}
		s.value(depth + 1)
	}
}

func (s *scanner) members(depth int) {
	s.accept("{")
	for first := true; !s.bad && !s.eat("}"); first = false {
		if !first {
			s.accept(",")
		}
		s.jsonString()
		s.accept(":")
		s.value(depth + 1)
	}
}

func (s *scanner) jsonString() {
	start := s.pos
	if !s.eat(`"`) {
		s.expected("a JSON string")
	}
	for s.pos < s.eol {
		c := s.text[s.pos]
		switch {
		case c == '"':
			s.pos++
			return
		case c == '\\':
			s.jsonEscape()
		case c < ' ':
			s.fail("control character in a JSON string")
		default:
			s.pos++
		}
	}
	s.failAt(start, "JSON string without an end")
}

func (s *scanner) jsonEscape() {
	at := s.pos
	s.pos++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
	case 'u':
		s.pos++
		for range 4 {
			if !isHex(s.peek()) {
				s.failAt(at, "invalid escape in a JSON string")
				return
			}
			s.pos++
		}
	default:
		s.failAt(at, "invalid escape in a JSON string")
	}
}

func isHex(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
}
