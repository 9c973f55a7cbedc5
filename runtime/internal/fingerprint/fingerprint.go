package fingerprint

import (
	"encoding/binary"
	"math"
	"strconv"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// Version is the version of the fingerprints that this package makes.
const Version = 1

// The seeds of fingerprints, by the kind of value.
const (
	NameSeed uint64 = 1 + iota
	truthSeed
	integerSeed
	numberSeed
	wholeSeed
	textSeed
	listSeed
	objectSeed
	// NothingSeed is the seed of a present member that is nothing and whose default is not
	// nothing.
	NothingSeed
	damagedSeed
)

// Mix spreads the bits of a number, as one step of SplitMix64 does.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Join adds b to the hash a. The order of calls matters.
func Join(a, b uint64) uint64 { return Mix(a ^ b) }

// OfText returns the fingerprint of a text of the kind that seed identifies.
func OfText[B ~string | ~[]byte](seed uint64, text B) uint64 {
	b := unsafe.Slice(unsafe.StringData(*(*string)(unsafe.Pointer(&text))), len(text))
	h := Join(Mix(seed), uint64(len(b)))
	for ; len(b) >= 8; b = b[8:] {
		h = Join(h, binary.LittleEndian.Uint64(b))
	}
	if len(b) > 0 {
		var last [8]byte
		copy(last[:], b)
		h = Join(h, binary.LittleEndian.Uint64(last[:]))
	}
	return h
}

// OfString returns the fingerprint of a string; an empty one is nothing.
func OfString[B ~string | ~[]byte](text B) uint64 {
	if len(text) == 0 {
		return 0
	}
	return OfText(textSeed, text)
}

// OfBool returns the fingerprint of a bool; false is nothing.
func OfBool(truth bool) uint64 {
	if !truth {
		return 0
	}
	return Mix(truthSeed)
}

// OfInteger returns the fingerprint of a whole number; 0 is nothing.
func OfInteger(n int64) uint64 {
	if n == 0 {
		return 0
	}
	return Join(Mix(integerSeed), uint64(n))
}

// OfFloat returns the fingerprint of a number; 0 is nothing.
func OfFloat(f float64) uint64 {
	const exact = 1 << 53
	switch {
	case math.Trunc(f) != f || math.IsInf(f, 0):
		return Join(Mix(numberSeed), math.Float64bits(f))
	case math.Abs(f) <= exact:
		return OfInteger(int64(f))
	default:
		var buffer [32]byte
		return printDecimal(strconv.AppendFloat(buffer[:0], f, 'e', -1, 64))
	}
}

// OfNumber returns the fingerprint of a number in its JSON spelling.
func OfNumber(literal []byte) uint64 {
	const most = len("-9223372036854775808")
	if len(literal) <= most && jsontext.IsInteger(string(literal)) {
		if n, err := strconv.ParseInt(string(literal), 10, 64); err == nil {
			return OfInteger(n)
		}
	}
	return printDecimal(literal)
}

func printDecimal(literal []byte) uint64 {
	var buffer [64]byte
	digits, exponent, ok := jsontext.AppendDecimal(buffer[:0], literal)
	switch {
	case !ok:
		return OfText(damagedSeed, literal)
	case len(digits) == 0:
		return 0
	case exponent < 0:
		f, _ := strconv.ParseFloat(string(literal), 64)
		return Join(Mix(numberSeed), math.Float64bits(f))
	}
	if n, ok := jsontext.Integer(digits, exponent); ok {
		return OfInteger(n)
	}
	return OfText(wholeSeed, strconv.AppendInt(append(digits, 'e'), exponent, 10))
}

// OfJSON returns the fingerprint of JSON whose type is not known.
func OfJSON(data runtime.JSON) uint64 {
	if len(data) == 0 {
		return 0
	}
	if !jsontext.IsValid(data) {
		return OfText(damagedSeed, data)
	}
	return OfValue((&jsontext.Cursor{Data: data}))
}

// OfValue returns the fingerprint of the current value, and steps over it.
func OfValue(c *jsontext.Cursor) uint64 {
	switch c.Peek() {
	case '{':
		return printObjectAt(c)
	case '[':
		return printListAt(c)
	case '"':
		if text, ok := c.PlainText(); ok {
			return OfString(text)
		}
		return ofEscaped(c.Raw())
	case 't':
		c.Raw()
		return OfBool(true)
	case 'f', 'n':
		c.Raw()
		return 0
	default:
		if n, ok := c.ShortInteger(); ok {
			return OfInteger(n)
		}
		return OfNumber(c.Raw())
	}
}

// ofEscaped returns the fingerprint of a JSON string, which may have escapes.
func ofEscaped(quoted []byte) uint64 {
	var room [512]byte
	return OfString(jsontext.UnquotedIn(room[:0], quoted))
}

func printObjectAt(c *jsontext.Cursor) uint64 {
	var sum Members
	for another := c.Begins('{'); another; another = c.Another() {
		name := OfText(NameSeed, c.Name())
		sum.Add(name, OfValue(c))
	}
	return sum.Print()
}

func printListAt(c *jsontext.Cursor) uint64 {
	var sum Elements
	for another := c.Begins('['); another; another = c.Another() {
		sum.Add(OfValue(c))
	}
	return sum.Print()
}

// Members sums up the members of an object. any is set once a member counts.
type Members struct {
	sum uint64
	any bool
}

// Add adds a member by the fingerprints of its name and its value. A value that is nothing does
// not count.
func (m *Members) Add(name, value uint64) {
	if value != 0 {
		m.sum += Join(name, value)
		m.any = true
	}
}

// Print returns the fingerprint of the object.
func (m *Members) Print() uint64 {
	if !m.any {
		return 0
	}
	return Join(Mix(objectSeed), m.sum)
}

// Elements sums up the elements of a list.
type Elements struct{ sum, count uint64 }

// Add adds the fingerprint of the next element.
func (e *Elements) Add(element uint64) {
	if e.count++; e.count == 1 {
		e.sum = Mix(listSeed)
	}
	e.sum = Join(e.sum, element)
}

// Print returns the fingerprint of the list.
func (e *Elements) Print() uint64 {
	if e.count == 0 {
		return 0
	}
	return Join(e.sum, e.count)
}
