package fingerprint

import (
	"encoding/base64"
	"encoding/binary"
	"slices"
)

// Indices maps the identities of elements to their indices.
type Indices map[uint64]int

// IndicesOf returns the indices of elements by their identities. An identity that several elements
// have maps to Nobody.
func IndicesOf(identities []uint64) Indices {
	p := make(Indices, len(identities))
	for i, id := range identities {
		if _, twice := p[id]; twice {
			i = Nobody
		}
		p[id] = i
	}
	return p
}

// Of returns the index of the only element with an identity, and Nobody if there is none.
func (p Indices) Of(id uint64) int {
	if i, found := p[id]; found && id != 0 {
		return i
	}
	return Nobody
}

// InOrder returns the indices of a list of the given length.
func InOrder(length int) []int {
	out := make([]int, length)
	for i := range out {
		out[i] = i
	}
	return out
}

// Unpack reads fingerprints in the encoding of a bag.
func Unpack(text []byte) ([]uint64, bool) {
	raw, err := base64.RawURLEncoding.AppendDecode(nil, text)
	if err != nil || len(raw)%8 != 0 {
		return nil, false
	}
	out := make([]uint64, 0, len(raw)/8)
	for chunk := range slices.Chunk(raw, 8) {
		out = append(out, binary.BigEndian.Uint64(chunk))
	}
	return out, true
}

// UnpackLeaves reads the leaves of one element in the encoding of a bag.
func UnpackLeaves(text []byte) []uint32 {
	raw, err := base64.RawURLEncoding.AppendDecode(nil, text)
	if err != nil {
		return nil
	}
	out := make([]uint32, 0, len(raw)/4)
	for ; len(raw) >= 4; raw = raw[4:] {
		out = append(out, binary.BigEndian.Uint32(raw))
	}
	return out
}

// IsUnique reports whether all fingerprints differ.
func IsUnique(prints []uint64) bool {
	sorted := slices.Clone(prints)
	slices.Sort(sorted)
	return len(slices.Compact(sorted)) == len(prints)
}
