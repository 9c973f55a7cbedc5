package genruntime

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stratakube/strata/runtime"
)

// cursor reads JSON from its beginning to its end. It takes any bytes, and never reads beyond them: what is not JSON
// makes skip tell so, and the readers stop.
type cursor struct {
	data []byte
	at   int
	// spaced is set when white space was met between tokens.
	spaced bool
	// jumps are where the long values end; nil where that is not known.
	jumps *jumps
}

// maxDepth is how deep JSON may be nested. The decoder that reads objects has the same limit.
const maxDepth = 10000

// isValid reports whether data is one JSON value, nested no deeper than maxDepth.
func isValid(data []byte) bool {
	c := cursor{data: data}
	return c.skip(maxDepth) && c.peek() == 0 && c.at == len(data)
}

// peek returns the first byte of the next token; zero at the end.
func (c *cursor) peek() byte {
	const spaces = 1<<' ' | 1<<'\t' | 1<<'\n' | 1<<'\r'
	for c.at < len(c.data) {
		b := c.data[c.at]
		if b > ' ' || spaces>>b&1 == 0 {
			return b
		}
		c.at++
		c.spaced = true
	}
	return 0
}

// take steps over the next token if it is b.
func (c *cursor) take(b byte) bool {
	if c.peek() != b {
		return false
	}
	c.at++
	return true
}

// follows steps over what stands behind a member or an element: a comma, behind which another one follows, or the closing
// bracket. It refuses with !ok what is neither.
func (c *cursor) follows(closing byte) (another, ok bool) {
	b := c.peek()
	if b != ',' && b != closing {
		return false, false
	}
	c.at++
	return b == ',', true
}

// more reports whether another member or element follows, and steps over what is between; at the end it steps over
// the closing bracket. It is for JSON that is known to be valid.
func (c *cursor) more(closing byte) bool {
	c.take(',')
	return !c.take(closing) && c.at < len(c.data)
}

// raw steps over the next value and returns its bytes; none where there is no value.
func (c *cursor) raw() runtime.JSON {
	c.peek()
	start := c.at
	if end := c.jumps.end(c); end > 0 {
		c.at = end
		return c.data[start:end:end]
	}
	if !c.skip(maxDepth) {
		c.at = len(c.data)
		return nil
	}
	return c.data[start:c.at:c.at]
}

// name reads the name of a member, and steps over the colon.
func (c *cursor) name() []byte {
	text := unquoted(c.raw())
	c.take(':')
	return text
}

// count returns how many members the object at hand has, or has left where some have been read.
func (c cursor) count() (n int) {
	for c.take('{'); c.more('}'); n++ {
		c.raw()
		c.take(':')
		c.raw()
	}
	return n
}

// text reads a string; it reports whether there was one.
func (c *cursor) text() (string, bool) {
	if c.peek() != '"' {
		c.raw()
		return "", false
	}
	return string(unquoted(c.raw())), true
}

// unquoted returns the text of a JSON string, sharing its memory where it can.
func unquoted(quoted []byte) []byte {
	if len(quoted) < 2 {
		return nil
	}
	if inner := quoted[1 : len(quoted)-1]; isPlain(inner) {
		return inner
	} else if text, ok := unescaped(inner); ok {
		return text
	}
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return nil
	}
	return []byte(text)
}

// unescaped returns the text between the quotes of a JSON string. It refuses what is rare: halves of characters.
func unescaped(inner []byte) (text []byte, ok bool) {
	if !utf8.Valid(inner) {
		return nil, false
	}
	text = make([]byte, 0, len(inner))
	for {
		at := bytes.IndexByte(inner, '\\')
		if at < 0 {
			return append(text, inner...), true
		}
		text = append(text, inner[:at]...)
		if at+1 == len(inner) {
			return nil, false
		}
		if inner[at+1] == 'u' {
			r, ok := runeOf(inner[at+2:])
			if !ok {
				return nil, false
			}
			text, inner = utf8.AppendRune(text, r), inner[at+6:]
			continue
		}
		const escapes, meanings = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
		i := strings.IndexByte(escapes, inner[at+1])
		if i < 0 {
			return nil, false
		}
		text, inner = append(text, meanings[i]), inner[at+2:]
	}
}

// runeOf reads four hexadecimal digits; it refuses what is only half a character.
func runeOf(digits []byte) (rune, bool) {
	if len(digits) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(borrow(digits[:4]), 16, 16)
	return rune(n), err == nil && !utf16.IsSurrogate(rune(n))
}

// skip steps over the next value, and reports whether it is JSON and nested no deeper than depth.
func (c *cursor) skip(depth int) bool {
	if depth == 0 {
		return false
	}
	switch b := c.peek(); b {
	case '{':
		return c.skipObject(depth)
	case '[':
		return c.skipList(depth)
	case '"':
		return c.skipText()
	case 't':
		return c.skipWord("true")
	case 'f':
		return c.skipWord("false")
	case 'n':
		return c.skipWord(null)
	default:
		return c.skipNumber()
	}
}

func (c *cursor) skipObject(depth int) bool {
	c.at++
	if c.take('}') {
		return true
	}
	for {
		if c.peek() != '"' || !c.skipText() || !c.take(':') || !c.skip(depth-1) {
			return false
		}
		if !c.take(',') {
			return c.take('}')
		}
	}
}

func (c *cursor) skipList(depth int) bool {
	c.at++
	if c.take(']') {
		return true
	}
	for {
		if !c.skip(depth - 1) {
			return false
		}
		if !c.take(',') {
			return c.take(']')
		}
	}
}

func (c *cursor) skipText() bool {
	c.at++
	if c.plain(); c.at < len(c.data) && c.data[c.at] == '"' {
		c.at++
		return true
	}
	return c.skipRest()
}

// skipRest steps over the rest of a string from what is not plain in it.
func (c *cursor) skipRest() bool {
	for ; c.at < len(c.data); c.plain() {
		switch b := c.data[c.at]; {
		case b == '"':
			c.at++
			return true
		case b != '\\' || !c.skipEscape():
			return false
		}
		c.at++
	}
	return false
}

// plain steps to the next quote, backslash or control character.
func (c *cursor) plain() {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	data, at := c.data, c.at
	for len(data)-at >= 8 {
		w := binary.LittleEndian.Uint64(data[at:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		// The lowest bit is where the first of them is; those above it may be wrong.
		if found := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & highs; found != 0 {
			c.at = at + bits.TrailingZeros64(found)/8
			return
		}
		at += 8
	}
	for at < len(data) && data[at] != '"' && data[at] != '\\' && data[at] >= ' ' {
		at++
	}
	c.at = at
}

// skipEscape steps to the last byte of an escape.
func (c *cursor) skipEscape() bool {
	c.at++
	if c.at >= len(c.data) {
		return false
	}
	switch c.data[c.at] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			if c.at++; c.at >= len(c.data) || !isHex(c.data[c.at]) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

func isHex(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
}

func (c *cursor) skipWord(word string) bool {
	if len(c.data)-c.at < len(word) || string(c.data[c.at:c.at+len(word)]) != word {
		return false
	}
	c.at += len(word)
	return true
}

func (c *cursor) skipNumber() bool {
	c.skipByte('-')
	if !c.skipByte('0') && !c.skipDigits() {
		return false
	}
	if c.skipByte('.') && !c.skipDigits() {
		return false
	}
	if c.skipByte('e') || c.skipByte('E') {
		if !c.skipByte('+') {
			c.skipByte('-')
		}
		return c.skipDigits()
	}
	return true
}

func (c *cursor) skipByte(b byte) bool {
	if c.at >= len(c.data) || c.data[c.at] != b {
		return false
	}
	c.at++
	return true
}

func (c *cursor) skipDigits() bool {
	start := c.at
	for c.at < len(c.data) && '0' <= c.data[c.at] && c.data[c.at] <= '9' {
		c.at++
	}
	return c.at > start
}

// appendText appends a JSON string. It escapes what JSON demands, and nothing else, so that bytes are as short as
// they can be; what is not UTF-8 becomes the replacement character.
func appendText(out []byte, text string) []byte {
	const digits = "0123456789abcdef"
	if isPlain(text) {
		out = append(append(out, '"'), text...)
		return append(out, '"')
	}
	out = append(out, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r < ' ':
			out = append(out, '\\', 'u', '0', '0', digits[r>>4], digits[r&15])
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return append(out, '"')
}

const null = "null"
