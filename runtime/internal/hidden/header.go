package hidden

import (
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"unsafe"

	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// format is the format of the bags that this package writes, and the only one that it reads.
const format = 1

// Header has the members of a bag that describe the object as a whole.
type Header struct {
	// NoStatus reports that the object has no status.
	NoStatus bool
	// Foreign reports that the original version differs from the version of the bag. The fields
	// below are stored only then.
	Foreign  bool
	Original string
	// Declared has the managers that declare the object in the version of the bag, sorted.
	Declared []string
	// Visible is the fingerprint of the visible spec.
	Visible uint64
}

// Append appends a bag that has only the header, without the closing bracket.
func (h *Header) Append(out []byte) []byte {
	out = append(out, '{')
	if h.Foreign && len(h.Declared) > 0 {
		out = append(out, `"declared":[`...)
		for _, by := range h.Declared {
			out = jsontext.AppendText(jsontext.Separate(out), by)
		}
		out = append(out, "],"...)
	}
	out = strconv.AppendInt(append(out, `"fingerprints":`...), fingerprint.Version, 10)
	out = strconv.AppendInt(append(out, `,"format":`...), format, 10)
	if h.NoStatus {
		out = append(out, `,"noStatus":true`...)
	}
	if h.Foreign {
		out = jsontext.AppendText(append(out, `,"originalVersion":`...), h.Original)
		out = appendNumbers(append(out, `,"shown":`...), h.Visible)
	}
	return out
}

// IsContent reports whether a bag with this member must be stored. A bag that has no such member
// is not needed.
func IsContent(name string) bool {
	return name != "fingerprints" && name != "format" && name != "noStatus"
}

// appendNumbers appends fingerprints or leaves as one JSON string in base64. Each number is big
// endian.
func appendNumbers[N uint32 | uint64](out []byte, numbers ...N) []byte {
	const most = 8
	size := int(unsafe.Sizeof(N(0)))
	out = append(jsontext.RoomFor(out, base64.RawURLEncoding.EncodedLen(size*len(numbers))), '"')
	for len(numbers) > 0 {
		// Three numbers fill groups of base64 exactly.
		var raw [3 * most]byte
		n := min(3, len(numbers))
		for i, number := range numbers[:n] {
			var one [most]byte
			binary.BigEndian.PutUint64(one[:], uint64(number))
			copy(raw[i*size:], one[most-size:])
		}
		out = base64.RawURLEncoding.AppendEncode(out, raw[:n*size])
		numbers = numbers[n:]
	}
	return append(out, '"')
}
