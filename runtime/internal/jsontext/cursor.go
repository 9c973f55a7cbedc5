package jsontext

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// Cursor reads JSON from its beginning to its end. It accepts any bytes, and never reads beyond
// them. Skip reports text that is not JSON; the other methods stop there.
type Cursor struct {
	Data []byte
	At   int
	// Spaced reports that there was white space between tokens.
	Spaced bool
	// Jumps has the ends of long values; nil if they are not known.
	Jumps *Jumps
	// Watch ends the reading of a value, as if it were not JSON; nil for none.
	Watch *watch.Watch
}

// MaxDepth is the largest nesting depth of JSON, as in the decoder that reads objects.
const MaxDepth = 10000

// IsValid reports whether data is one JSON value, nested no deeper than MaxDepth.
func IsValid(data []byte) bool { return IsValidUntil(nil, data) }

// IsValidUntil is IsValid, but returns false once w ends it.
func IsValidUntil(w *watch.Watch, data []byte) bool {
	c := Cursor{Data: data, Watch: w}
	return c.Skip(MaxDepth) && c.Peek() == 0 && c.At == len(data)
}

// Peek returns the first byte of the next token, and zero at the end.
func (c *Cursor) Peek() byte {
	const spaces = 1<<' ' | 1<<'\t' | 1<<'\n' | 1<<'\r'
	for c.At < len(c.Data) {
		b := c.Data[c.At]
		if b > ' ' || spaces>>b&1 == 0 {
			return b
		}
		c.At++
		c.Spaced = true
	}
	return 0
}

// Take steps over the next token if it is b.
func (c *Cursor) Take(b byte) bool {
	if c.Peek() != b {
		return false
	}
	c.At++
	return true
}

// Follows steps over the token behind a member or an element. It reports whether that is a comma,
// before another one, and not the closing bracket. It is not ok if the token is neither.
func (c *Cursor) Follows(closing byte) (another, ok bool) {
	b := c.Peek()
	if b != ',' && b != closing {
		return false, false
	}
	c.At++
	return b == ',', true
}

// More reports whether another member or element follows, and steps over the comma before it. At
// the end it steps over the closing bracket. The JSON must be valid.
func (c *Cursor) More(closing byte) bool {
	c.Take(',')
	return !c.Take(closing) && c.At < len(c.Data)
}

// Raw steps over the next value and returns its bytes, or nil if there is no value.
func (c *Cursor) Raw() runtime.JSON {
	c.Peek()
	start := c.At
	if end := c.Jumps.end(c.Data, c.At); end > 0 {
		c.At = end
		return c.Data[start:end:end]
	}
	if !c.Skip(MaxDepth) {
		c.At = len(c.Data)
		return nil
	}
	return c.Data[start:c.At:c.At]
}

// Name reads the name of a member, and steps over the colon.
func (c *Cursor) Name() []byte {
	text, ok := c.PlainText()
	if !ok {
		text = Unquoted(c.Raw())
	}
	c.Take(':')
	return text
}

// PlainText steps over the next value if it is a string of ASCII characters without escapes, and
// returns the string. Else it reads nothing but white space.
func (c *Cursor) PlainText() (text []byte, ok bool) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	if c.Peek() != '"' {
		return nil, false
	}
	data, start := c.Data, c.At+1
	at := start
	for len(data)-at >= 8 {
		w := binary.LittleEndian.Uint64(data[at:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		// As in Plain, but the highest bit of a byte also marks it.
		if found := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w | w) & highs; found != 0 {
			at += bits.TrailingZeros64(found) / 8
			break
		}
		at += 8
	}
	for at < len(data) && data[at] != '"' {
		if b := data[at]; b < ' ' || b == '\\' || b >= utf8.RuneSelf {
			return nil, false
		}
		at++
	}
	if at >= len(data) {
		return nil, false
	}
	c.At = at + 1
	return data[start:at:at], true
}

// Another steps over the token behind a member or an element, and reports whether that is a comma.
// The JSON must be valid.
func (c *Cursor) Another() bool {
	if c.Peek() == 0 {
		return false
	}
	c.At++
	return c.Data[c.At-1] == ','
}

// ShortInteger steps over the next value if it is an integer of at most 18 digits, and returns it.
// Else it reads nothing but white space.
func (c *Cursor) ShortInteger() (n int64, ok bool) {
	const most = 18
	negative := c.Peek() == '-'
	data, start := c.Data, c.At
	if negative {
		start++
	}
	at := start
	for ; at < len(data) && '0' <= data[at] && data[at] <= '9'; at++ {
		if at-start == most {
			return 0, false
		}
		n = 10*n + int64(data[at]-'0')
	}
	if at == start || data[start] == '0' && at > start+1 || at < len(data) && (data[at] == '.' || data[at]|0x20 == 'e') {
		return 0, false
	}
	if c.At = at; negative {
		n = -n
	}
	return n, true
}

// Count returns the number of members of the current object, or of its remaining members if some
// have been read.
func (c Cursor) Count() (n int) {
	for c.Take('{'); c.More('}'); n++ {
		c.Raw()
		c.Take(':')
		c.Raw()
	}
	return n
}

// CountElements returns the number of elements of the current list.
func (c Cursor) CountElements() (n int) {
	if !c.Take('[') {
		return 0
	}
	for ; c.More(']'); n++ {
		c.Raw()
	}
	return n
}

// Text reads a string, and reports whether the value is one.
func (c *Cursor) Text() (string, bool) {
	if c.Peek() != '"' {
		c.Raw()
		return "", false
	}
	return string(Unquoted(c.Raw())), true
}

// Skip steps over the next value. It reports whether the value is JSON and nested at most depth
// levels deep.
func (c *Cursor) Skip(depth int) bool {
	if depth == 0 {
		return false
	}
	switch b := c.Peek(); b {
	case '{':
		return c.skipObject(depth)
	case '[':
		return c.skipList(depth)
	case '"':
		return c.SkipText()
	case 't':
		return c.SkipWord("true")
	case 'f':
		return c.SkipWord("false")
	case 'n':
		return c.SkipWord(Null)
	default:
		return c.SkipNumber()
	}
}

func (c *Cursor) skipObject(depth int) bool {
	c.At++
	if c.Take('}') {
		return true
	}
	for {
		if c.Peek() != '"' || !c.SkipText() || !c.Take(':') || !c.Skip(depth-1) {
			return false
		}
		if !c.Take(',') {
			return c.Take('}')
		}
		if !c.Watch.OK() {
			return false
		}
	}
}

func (c *Cursor) skipList(depth int) bool {
	c.At++
	if c.Take(']') {
		return true
	}
	for {
		if !c.Skip(depth - 1) {
			return false
		}
		if !c.Take(',') {
			return c.Take(']')
		}
		if !c.Watch.OK() {
			return false
		}
	}
}

// SkipText steps over a string, and reports whether it is valid.
func (c *Cursor) SkipText() bool {
	c.At++
	if c.Plain(); c.At < len(c.Data) && c.Data[c.At] == '"' {
		c.At++
		return true
	}
	return c.skipRest()
}

// skipRest steps over the rest of a string, from the first byte that is not plain.
func (c *Cursor) skipRest() bool {
	for ; c.At < len(c.Data); c.Plain() {
		switch b := c.Data[c.At]; {
		case b == '"':
			c.At++
			return true
		case b != '\\' || !c.skipEscape():
			return false
		}
		c.At++
	}
	return false
}

// Plain steps to the next quote, backslash or control character.
func (c *Cursor) Plain() {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	data, at := c.Data, c.At
	for len(data)-at >= 8 {
		w := binary.LittleEndian.Uint64(data[at:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		// The lowest bit marks the first of them. Bits above it may be wrong.
		if found := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & highs; found != 0 {
			c.At = at + bits.TrailingZeros64(found)/8
			return
		}
		at += 8
	}
	for at < len(data) && data[at] != '"' && data[at] != '\\' && data[at] >= ' ' {
		at++
	}
	c.At = at
}

// skipEscape steps to the last byte of an escape, and reports whether it is valid.
func (c *Cursor) skipEscape() bool {
	c.At++
	if c.At >= len(c.Data) {
		return false
	}
	switch c.Data[c.At] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			if c.At++; c.At >= len(c.Data) || !isHex(c.Data[c.At]) {
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

// SkipWord steps over a word such as true, and reports whether the text has it.
func (c *Cursor) SkipWord(word string) bool {
	if len(c.Data)-c.At < len(word) || string(c.Data[c.At:c.At+len(word)]) != word {
		return false
	}
	c.At += len(word)
	return true
}

// SkipNumber steps over a number, and reports whether there is one.
func (c *Cursor) SkipNumber() bool {
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

func (c *Cursor) skipByte(b byte) bool {
	if c.At >= len(c.Data) || c.Data[c.At] != b {
		return false
	}
	c.At++
	return true
}

func (c *Cursor) skipDigits() bool {
	start := c.At
	for c.At < len(c.Data) && '0' <= c.Data[c.At] && c.Data[c.At] <= '9' {
		c.At++
	}
	return c.At > start
}

// Null is JSON null.
const Null = "null"
