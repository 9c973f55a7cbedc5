package fingerprint

import "math/bits"

// commonTable has the lengths of the longest common subsequences of all pairs of suffixes of two
// lists. Between adjacent columns a length changes by at most one. So each cell is one bit.
type commonTable struct {
	// rows are the bits of all rows. Each row begins with a new word, whose number is words.
	rows  []uint64
	words int
}

// longestCommon returns the table of two lists. It has a row for each start in the first, and a
// column for each in the second.
func longestCommon(first, second []uint64) commonTable {
	t := commonTable{words: (len(second) + 63) / 64}
	t.rows = make([]uint64, (len(first)+1)*t.words)
	// row has the lengths of the current row beyond column j, and those of the row below up to
	// column j.
	row := make([]int32, len(second)+1)
	for i := len(first) - 1; i >= 0; i-- {
		grown := t.rows[i*t.words : (i+1)*t.words]
		diagonal := int32(0) // of the row below, in the next column
		for j := len(second) - 1; j >= 0; j-- {
			below := row[j]
			if first[i] == second[j] {
				row[j] = diagonal + 1
			} else {
				row[j] = max(below, row[j+1])
			}
			diagonal = below
			grown[j/64] |= uint64(row[j]-row[j+1]) << (uint(j) % 64)
		}
	}
	return t
}

// from returns the length of the longest common subsequence of the first list from i on and of the
// second from j on.
func (t commonTable) from(i, j int) (length int) {
	if j/64 >= t.words {
		return 0
	}
	row := t.rows[i*t.words : (i+1)*t.words]
	length = bits.OnesCount64(row[j/64] >> (uint(j) % 64))
	for _, word := range row[j/64+1:] {
		length += bits.OnesCount64(word)
	}
	return length
}
