package fingerprint

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAlign(t *testing.T) {
	for _, test := range []struct {
		reason  string
		was, is string
		want    []int
	}{
		{"nothing changed", "abc", "abc", []int{0, 1, 2}},
		{"one was deleted", "abc", "ac", []int{0, -1, 1}},
		{"the first of two equals was deleted, or the second: in order", "aa", "a", []int{0, -1}},
		{"the same with others around the one that is left", "aa", "bab", []int{1, -1}},
		{"one became two equals: the first", "bab", "aa", []int{-1, 0, -1}},
		{"two equals among others, of which one is left", "xaya", "zaw", []int{-1, 1, -1, -1}},
		{"an equal that stands behind another element stays behind it", "aba", "ba", []int{-1, 0, 1}},
		{"one was inserted", "ab", "axb", []int{0, 2}},
		{"two were swapped", "ab", "ba", []int{1, 0}},
		{"one was moved to the end", "abcd", "bcda", []int{3, 0, 1, 2}},
		{"all are gone", "ab", "", []int{-1, -1}},
		{"there was nothing", "", "ab", []int{}},
		{"others took the place", "ab", "xy", []int{-1, -1}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got := Align(letters(test.was), letters(test.is))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSubsequenceIsFirstOfLongest compares with a search through all subsequences.
func TestSubsequenceIsFirstOfLongest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 0, 7, -1)
		was, is := letters(text.Draw(t, "was")), letters(text.Draw(t, "is"))
		a := alignment{was: was, is: is, now: slices.Repeat([]int{Nobody}, len(was.Prints)), taken: make([]bool, len(is.Prints))}
		a.subsequence(0, len(was.Prints), len(is.Prints))
		if diff := cmp.Diff(firstOfLongest(was.Prints, is.Prints), a.now); diff != "" {
			t.Error(diff)
		}
	})
}

// TestTableOfSubsequencesIsSmall wants the table of two lists to take no more than 13 bytes for
// each byte of their JSON. An element is {} with a comma at least, and its fingerprint in a bag has
// 8 bytes in base64.
func TestTableOfSubsequencesIsSmall(t *testing.T) {
	for rows := 1; rows <= maxCells; rows *= 2 {
		for _, columns := range []int{maxCells / rows, maxCells / rows / 3, 64, 65} {
			if columns < 1 || rows > maxCells/columns {
				continue
			}
			table := longestCommon(make([]uint64, rows), make([]uint64, columns))
			bytes, text := 8*cap(table.rows)+4*(columns+1), rows*8*4/3+columns*len("{},")
			if bytes > 13*text {
				t.Errorf("%d and %d elements, of %d bytes, take a table of %d bytes", rows, columns, text, bytes)
			}
		}
	}
}

// firstOfLongest matches the elements of two lists by trying all matches of the first element, in
// order.
func firstOfLongest(was, is []uint64) []int {
	if len(was) == 0 {
		return []int{}
	}
	best, most := []int(nil), -1
	for j, print := range append(slices.Clone(is), was[0]) {
		if print != was[0] {
			continue
		}
		match, rest := j, is[min(j+1, len(is)):]
		if j == len(is) {
			match, rest = Nobody, is
		}
		tail := firstOfLongest(was[1:], rest)
		all := []int{match}
		for _, k := range tail {
			if k >= 0 {
				k += len(is) - len(rest)
			}
			all = append(all, k)
		}
		if n := len(all) - countOf(all, Nobody); n > most {
			best, most = all, n
		}
	}
	return best
}

func countOf(list []int, of int) int {
	n := 0
	for _, v := range list {
		if v == of {
			n++
		}
	}
	return n
}

func letters(text string) Side {
	s := Side{Leaves: func(int) []uint32 { return nil }}
	for _, c := range text {
		s.Prints = append(s.Prints, uint64(c))
	}
	return s
}

func TestAlignEdited(t *testing.T) {
	for _, test := range []struct {
		reason  string
		was, is [][]uint32
		want    []int
	}{
		{"one that kept a value", [][]uint32{{1, 2}}, [][]uint32{{1, 3}}, []int{0}},
		{"one that kept none", [][]uint32{{1, 2}}, [][]uint32{{3, 4}}, []int{-1}},
		{"two, each of which kept a value of its own", [][]uint32{{1, 2}, {3, 4}}, [][]uint32{{9, 4}, {1, 8}}, []int{1, 0}},
		{"two that share a value", [][]uint32{{1, 2}, {1, 4}}, [][]uint32{{1, 8}, {1, 9}}, []int{-1, -1}},
		{"one is left of two that it could be", [][]uint32{{1, 2}, {1, 4}}, [][]uint32{{1, 8}}, []int{-1, -1}},
		{"one became two that it could be", [][]uint32{{1, 2}}, [][]uint32{{1, 8}, {2, 9}}, []int{-1}},
		{"one has values of two", [][]uint32{{1, 2}, {3, 4}}, [][]uint32{{1, 4}}, []int{-1, -1}},
		{"one that shares a value with an element that is untouched", [][]uint32{{1, 2}, {1, 3}}, [][]uint32{{1, 9}, {1, 3}}, []int{0, 1}},
		{"one that shares a value with the first, which is untouched", [][]uint32{{1, 3}, {1, 2}}, [][]uint32{{1, 3}, {1, 9}}, []int{0, 1}},
		{"a value that stands twice in an element", [][]uint32{{1, 1, 2}}, [][]uint32{{3, 1, 1}}, []int{0}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Align(byLeaves(test.was), byLeaves(test.is))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func byLeaves(elements [][]uint32) Side {
	s := Side{Leaves: func(i int) []uint32 { return elements[i] }}
	for _, leaves := range elements {
		s.Prints = append(s.Prints, OfText(textSeed, fmt.Sprint(leaves)))
	}
	return s
}

// TestHugeListsAreAlignedWithoutSubsequence checks that equal elements are matched in order, and
// quickly.
func TestHugeListsAreAlignedWithoutSubsequence(t *testing.T) {
	const length = 20000
	was := Side{Leaves: func(int) []uint32 { return nil }}
	for i := range length {
		was.Prints = append(was.Prints, uint64(i/2+1))
	}
	is := Side{Prints: slices.Clone(was.Prints), Leaves: was.Leaves}
	rand.New(rand.NewSource(1)).Shuffle(length, func(i, j int) { is.Prints[i], is.Prints[j] = is.Prints[j], is.Prints[i] })
	last := map[uint64]int{}
	for i, j := range Align(was, is) {
		print := was.Prints[i]
		if j < 0 || is.Prints[j] != print {
			t.Fatalf("element %d went to %d", i, j)
		}
		if before, found := last[print]; found && j < before {
			t.Fatalf("equals %d are out of order", print)
		}
		last[print] = j
	}
}

// TestSubsequenceHasLimit checks the documented number of pairs that the subsequence
// compares: 2^20, for lists of any form. Beyond the limit, elements that moved are matched in
// order, so that of two equal ones the first is found.
func TestSubsequenceHasLimit(t *testing.T) {
	for _, test := range []struct {
		head, rows, columns int // elements that are equal, and others
		moved               bool
	}{
		{0, 1 << 10, 1 << 10, false},
		{7, 1 << 10, 1 << 10, false},
		{0, 1<<10 + 1, 1 << 10, true},
		{0, 1 << 10, 1<<10 + 1, true},
		{7, 1 << 10, 1<<10 + 1, true},
		{0, 1 << 18, 4, false},
		{0, 1<<18 + 1, 4, true},
		{0, 4, 1 << 18, false},
		{7, 4, 1 << 18, false},
		{0, 4, 1<<18 + 1, true},
	} {
		const a, b = 1, 2
		was, is := []uint64{a, b, a}, []uint64{b, a}
		want := []int{Nobody, test.head, test.head + 1}
		if test.moved {
			want = []int{test.head + 1, test.head, Nobody}
		}
		for i := range test.rows - len(was) {
			was = append(was, uint64(1<<40+i))
		}
		for i := range test.columns - len(is) {
			is = append(is, uint64(1<<50+i))
		}
		none := func(int) []uint32 { return nil }
		head := slices.Repeat([]uint64{9}, test.head)
		got := Align(Side{slices.Concat(head, was), none}, Side{slices.Concat(head, is), none})
		if diff := cmp.Diff(want, got[test.head:test.head+3]); diff != "" {
			t.Errorf("%d elements that became %d: %s", test.rows, test.columns, diff)
		}
	}
}
