package genruntime

import (
	"encoding/binary"
	"math"
	"strconv"
	"unsafe"

	"github.com/stratakube/strata/runtime"
)

// Fingerprints report whether a user changed something that is shown. They are kept in status.propertyBag, so this is a
// contract: version 1, never to be changed. A fingerprint is 64 bits of a JSON value, the same however the value is
// spelled and whether its type is known:
//
//   - null, false, zero, "", [] and {}, and objects of such alone, are nothing, which is 0;
//   - in objects, order does not count, nor do members that are nothing or equal the default of the version;
//   - where a default is known that is not nothing, a member that is there and is nothing counts as such;
//   - numbers count by their value: 1, 1.0 and 1e0 are one; whole numbers are exact at any size, others are float64;
//   - in lists, order counts, and so do elements that are nothing;
//   - property bags do not count.
//
// It is made of mix, which is SplitMix64's step and output, and join(a, b) = mix(a^b), with all additions modulo 2^64:
//
//	text of kind k   h = join(mix(k), length in bytes), then h = join(h, w) for all words w of eight bytes, little
//	                 endian, the last filled with zero bytes
//	name             text of kind 1
//	true             mix(2)
//	whole number     join(mix(3), n) where n fits 64 bits with a sign, else text of kind 5: the digits without zeros
//	                 at the end, with a minus before them where there is one, an e, and the power of ten
//	other number     join(mix(4), bits of the float64)
//	string           text of kind 6
//	list             h = mix(7), then h = join(h, element) for all, then join(h, length)
//	object           join(mix(8), sum of join(name, value) of the members that count)
//	counted nothing  mix(9)
//	what is no JSON  text of kind 10
//
// A leaf is the upper half of join(name, value) of a scalar, or of free JSON, with the name or key of the nearest member
// that holds it.
const fingerprintVersion = 1

const (
	nameSeed uint64 = 1 + iota
	truthSeed
	integerSeed
	numberSeed
	wholeSeed
	textSeed
	listSeed
	objectSeed
	nothingSeed
	damagedSeed
)

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func join(a, b uint64) uint64 { return mix(a ^ b) }

func printText[B ~string | ~[]byte](seed uint64, text B) uint64 {
	b := unsafe.Slice(unsafe.StringData(*(*string)(unsafe.Pointer(&text))), len(text))
	h := join(mix(seed), uint64(len(b)))
	for ; len(b) >= 8; b = b[8:] {
		h = join(h, binary.LittleEndian.Uint64(b))
	}
	if len(b) > 0 {
		var last [8]byte
		copy(last[:], b)
		h = join(h, binary.LittleEndian.Uint64(last[:]))
	}
	return h
}

func printString[B ~string | ~[]byte](text B) uint64 {
	if len(text) == 0 {
		return 0
	}
	return printText(textSeed, text)
}

func printTruth(truth bool) uint64 {
	if !truth {
		return 0
	}
	return mix(truthSeed)
}

func printInteger(n int64) uint64 {
	if n == 0 {
		return 0
	}
	return join(mix(integerSeed), uint64(n))
}

func printFloat(f float64) uint64 {
	const exact = 1 << 53
	switch {
	case math.Trunc(f) != f || math.IsInf(f, 0):
		return join(mix(numberSeed), math.Float64bits(f))
	case math.Abs(f) <= exact:
		return printInteger(int64(f))
	default:
		var buffer [32]byte
		return printDecimal(strconv.AppendFloat(buffer[:0], f, 'e', -1, 64))
	}
}

// printNumber is the fingerprint of a number as it is spelled in JSON.
func printNumber(literal []byte) uint64 {
	const most = len("-9223372036854775808")
	if len(literal) <= most && isInteger(string(literal)) {
		if n, err := strconv.ParseInt(string(literal), 10, 64); err == nil {
			return printInteger(n)
		}
	}
	return printDecimal(literal)
}

func printDecimal(literal []byte) uint64 {
	var buffer [64]byte
	digits, exponent, ok := appendDecimal(buffer[:0], literal)
	switch {
	case !ok:
		return printText(damagedSeed, literal)
	case len(digits) == 0:
		return 0
	case exponent < 0:
		f, _ := strconv.ParseFloat(string(literal), 64)
		return join(mix(numberSeed), math.Float64bits(f))
	}
	if n, ok := integer(digits, exponent); ok {
		return printInteger(n)
	}
	return printText(wholeSeed, strconv.AppendInt(append(digits, 'e'), exponent, 10))
}

// printJSON is the fingerprint of JSON whose type is not known.
func printJSON(data runtime.JSON) uint64 {
	if len(data) == 0 {
		return 0
	}
	if !isValid(data) {
		return printText(damagedSeed, data)
	}
	return (&cursor{data: data}).print()
}

func (c *cursor) print() uint64 {
	switch c.peek() {
	case '{':
		return c.printObject()
	case '[':
		return c.printList()
	case '"':
		return printString(unquoted(c.raw()))
	case 't':
		c.raw()
		return printTruth(true)
	case 'f', 'n':
		c.raw()
		return 0
	default:
		return printNumber(c.raw())
	}
}

func (c *cursor) printObject() uint64 {
	var sum members
	for c.take('{'); c.more('}'); {
		name := printText(nameSeed, c.name())
		sum.add(name, c.print())
	}
	return sum.print()
}

func (c *cursor) printList() uint64 {
	var sum elements
	for c.take('['); c.more(']'); {
		sum.add(c.print())
	}
	return sum.print()
}

// members adds up the members of an object. Any is set once one counts.
type members struct {
	sum uint64
	any bool
}

func (m *members) add(name, value uint64) {
	if value != 0 {
		m.sum += join(name, value)
		m.any = true
	}
}

func (m *members) print() uint64 {
	if !m.any {
		return 0
	}
	return join(mix(objectSeed), m.sum)
}

// elements adds up the elements of a list.
type elements struct{ sum, count uint64 }

func (e *elements) add(element uint64) {
	if e.count++; e.count == 1 {
		e.sum = mix(listSeed)
	}
	e.sum = join(e.sum, element)
}

func (e *elements) print() uint64 {
	if e.count == 0 {
		return 0
	}
	return join(e.sum, e.count)
}
