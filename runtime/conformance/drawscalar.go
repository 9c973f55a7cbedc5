package conformance

import (
	"math"
	"unsafe"
)

func (d *drawer) integer() int64 {
	switch r := d.next(); r & 7 {
	case 0:
		return 0
	case 1, 2:
		return edgeIntegers[d.below(len(edgeIntegers))]
	case 3, 4:
		return int64(r >> 56)
	default:
		return int64(d.next())
	}
}

var edgeIntegers = [...]int64{
	1, -1, 1 << 31, -1 << 31, 1<<53 + 1, -1<<53 - 1, math.MaxInt64, math.MinInt64,
}

func (d *drawer) float() float64 {
	switch r := d.next(); r & 7 {
	case 0:
		return 0
	case 1, 2:
		return edgeFloats[d.below(len(edgeFloats))]
	case 3:
		return finite(math.Float64frombits(d.next()))
	default:
		return float64(int64(r)>>40) / 1000
	}
}

var edgeFloats = [...]float64{
	1, -1, 0.1, -2.5, 1e21, 1e300, -1e300, 1e-300, 1<<53 + 2, math.MaxFloat64,
}

// finite replaces a float that JSON cannot represent.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return -0.5
	}
	return f
}

func (d *drawer) string() string {
	switch d.next() & 7 {
	case 0:
		return ""
	case 1:
		return edgeStrings[d.below(len(edgeStrings))]
	default:
		return d.unique("")
	}
}

var edgeStrings = [...]string{
	" ", "0", "null", "{}", "[]", "true", "Grüße, 世界", "🙂", "e\u0301", `say "hi"`, `back\slash`, "line\nbreak\ttab",
	"<a href='x'>&amp;</a>", "\u2028\u2029", "\x00\x1f\x7f", "2021-12-31T23:59:60Z", "$propertyBag",
	"a text that is rather longer than the others, so that it does not fit where short ones are kept in place",
}

// key returns a key that no schema has as the name of a property. For property bags it returns no
// hostile keys.
func (d *drawer) key(sort dictSort) string {
	switch {
	case d.next()&3 != 0:
		return d.unique("k-")
	case sort == rareDict:
		return edgeKeys[d.below(len(edgeKeys))]
	}
	i := d.below(len(edgeKeys) + len(hostileKeys))
	if i < len(edgeKeys) {
		return edgeKeys[i]
	}
	return hostileKeys[i-len(edgeKeys)]
}

var edgeKeys = [...]string{
	"", " ", "<&>", "a/b.c~d", `"quoted"`, `\`, "ключ", "🔑", "\n", "K 1", "k 1", "-0",
}

// hostileKeys are names of members that a reader could take for names in storage.
var hostileKeys = [...]string{
	"$propertyBag", "$$propertyBag", "$additionalProperties", "@", "@v1!raw", "name@v1", "name@v20200101!raw", "!raw", "@odata.type", "__proto__",
}

// unique returns a string that is very unlikely to be drawn again, so that mixed-up values are
// detected.
func (d *drawer) unique(prefix string) string {
	d.reserve(len(prefix) + 8)
	start := len(d.chunk)
	var tail [8]byte
	for r, i := d.next(), 0; i < len(tail); i++ {
		tail[i] = letters[r>>(5*i)&31]
	}
	d.chunk = append(append(d.chunk, prefix...), tail[:]...)
	text := d.chunk[start:]
	return unsafe.String(unsafe.SliceData(text), len(text))
}

const letters = "abcdefghijklmnopqrstuvwxyz234567"

// reserve makes room for n more bytes in the chunk.
func (d *drawer) reserve(n int) {
	if cap(d.chunk)-len(d.chunk) < n {
		d.chunk = make([]byte, 0, max(n, 4096))
	}
}
