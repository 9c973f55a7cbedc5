package scan

import "unicode/utf8"

// nesting is a stack with one bit for each open object or list: whether it is an object.
type nesting struct {
	bits  [(MaxDepth + 63) / 64]uint64
	depth int
	// object is the topmost bit.
	object bool
}

func (n *nesting) push(object bool) {
	word, bit := n.depth/64, uint64(1)<<(n.depth%64)
	if object {
		n.bits[word] |= bit
	} else {
		n.bits[word] &^= bit
	}
	n.depth++
	n.object = object
}

func (n *nesting) pop() {
	n.depth--
	if top := n.depth - 1; top >= 0 {
		n.object = n.bits[top/64]>>(top%64)&1 != 0
	}
}

// Skip reads one value of any type.
func (t *Text) Skip() error {
	base := t.nest.depth
	for {
		opened, err := t.begin()
		if err != nil {
			return err
		}
		if more, err := t.advance(base, opened); !more || err != nil {
			return err
		}
	}
}

// advance moves to the next value of the open objects and lists above base, and reports whether
// there is one. fresh reports that the innermost has just been opened.
func (t *Text) advance(base int, fresh bool) (bool, error) {
	for t.nest.depth > base {
		more, err := t.Next(fresh)
		switch {
		case err != nil:
			return false, err
		case more && t.nest.object:
			return true, t.Name()
		case more:
			return true, nil
		}
		fresh = false
	}
	return false, nil
}

// Name reads a member's name and the colon behind it.
func (t *Text) Name() error {
	if t.Peek() != '"' {
		if t.pos == len(t.buf) {
			return t.ended()
		}
		return t.wrong("expected the name of a member")
	}
	if err := t.text(); err != nil {
		return err
	}
	return t.Expect(':')
}

// begin reads a scalar, or the bracket that opens an object or a list, and reports whether it was a
// bracket.
func (t *Text) begin() (opened bool, err error) {
	switch c := t.Peek(); c {
	case '{', '[':
		return true, t.Enter(c)
	case '"':
		return false, t.text()
	case 't':
		return false, t.literal("true")
	case 'f':
		return false, t.literal("false")
	case 'n':
		return false, t.literal("null")
	case 0:
		return false, t.orZero()
	default:
		return false, t.number(c)
	}
}

func (t *Text) literal(word string) error {
	for i := range len(word) {
		if t.pos == len(t.buf) && !t.fill() {
			return t.ended()
		}
		if t.buf[t.pos] != word[i] {
			return t.wrong("expected " + word)
		}
		t.pos++
	}
	return nil
}

// plain reports for each byte whether it represents itself in a string.
var plain = func() (is [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		is[c] = c != '"' && c != '\\'
	}
	return is
}()

// text reads a string.
func (t *Text) text() error {
	t.pos++
	for {
		buf, pos := t.buf, t.pos
		for pos < len(buf) && plain[buf[pos]] {
			pos++
		}
		t.pos = pos
		if pos == len(buf) {
			if !t.fill() {
				return t.ended()
			}
			continue
		}
		if buf[pos] == '"' {
			t.pos++
			return nil
		}
		if err := t.special(); err != nil {
			return err
		}
	}
}

// special reads a sequence of bytes in a string that is not one plain byte.
func (t *Text) special() error {
	switch c := t.buf[t.pos]; {
	case c == '\\':
		t.pos++
		return t.escape()
	case c < ' ':
		return t.wrong("a control character in a text")
	default:
		return t.rune()
	}
}

func (t *Text) escape() error {
	if t.pos == len(t.buf) && !t.fill() {
		return t.ended()
	}
	c := t.buf[t.pos]
	t.pos++
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return nil
	case 'u':
		return t.hex()
	default:
		return t.wrong("an unknown escape in a text")
	}
}

func (t *Text) hex() error {
	for range 4 {
		if t.pos == len(t.buf) && !t.fill() {
			return t.ended()
		}
		switch c := t.buf[t.pos] | 0x20; {
		case '0' <= t.buf[t.pos] && t.buf[t.pos] <= '9', 'a' <= c && c <= 'f':
			t.pos++
		default:
			return t.wrong("an escape in a text that is not four hexadecimal digits")
		}
	}
	return nil
}

func (t *Text) rune() error {
	for !utf8.FullRune(t.buf[t.pos:]) {
		if !t.fill() {
			return t.ended()
		}
	}
	r, size := utf8.DecodeRune(t.buf[t.pos:])
	if r == utf8.RuneError && size == 1 {
		return t.wrong("a text that is not UTF-8")
	}
	t.pos += size
	return nil
}

// number reads a number.
func (t *Text) number(c byte) error {
	if c == '-' {
		t.pos++
		c = t.at()
	}
	switch {
	case c == '0':
		t.pos++
	case '1' <= c && c <= '9':
		t.digits()
	default:
		return t.notNumber()
	}
	if c = t.at(); c == '.' {
		t.pos++
		if !t.digits() {
			return t.notNumber()
		}
		c = t.at()
	}
	if c|0x20 == 'e' {
		return t.exponent()
	}
	return nil
}

func (t *Text) exponent() error {
	t.pos++
	if sign := t.at(); sign == '+' || sign == '-' {
		t.pos++
	}
	if !t.digits() {
		return t.notNumber()
	}
	return nil
}

func (t *Text) notNumber() error {
	if t.pos == len(t.buf) {
		return t.ended()
	}
	return t.wrong("expected a value")
}

// at returns the next byte, zero at the end.
func (t *Text) at() byte {
	if t.pos == len(t.buf) && !t.fill() {
		return 0
	}
	return t.buf[t.pos]
}

// digits reads digits, and reports whether there was one.
func (t *Text) digits() bool {
	found := false
	for {
		buf, pos := t.buf, t.pos
		for pos < len(buf) && '0' <= buf[pos] && buf[pos] <= '9' {
			pos++
		}
		found = found || pos > t.pos
		t.pos = pos
		if pos < len(buf) || !t.fill() {
			return found
		}
	}
}
