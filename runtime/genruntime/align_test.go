package genruntime

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
			got := align(letters(test.was), letters(test.is))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTheSubsequenceIsTheFirstOfTheLongest compares with a search through all subsequences.
func TestTheSubsequenceIsTheFirstOfTheLongest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 0, 7, -1)
		was, is := letters(text.Draw(t, "was")), letters(text.Draw(t, "is"))
		a := alignment{was: was, is: is, now: slices.Repeat([]int{nobody}, len(was.prints)), taken: make([]bool, len(is.prints))}
		a.subsequence(0, len(was.prints), len(is.prints))
		if diff := cmp.Diff(firstOfLongest(was.prints, is.prints), a.now); diff != "" {
			t.Error(diff)
		}
	})
}

// firstOfLongest matches the elements of two lists by trying all ways to match the first element, in order.
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
			match, rest = nobody, is
		}
		tail := firstOfLongest(was[1:], rest)
		all := []int{match}
		for _, k := range tail {
			if k >= 0 {
				k += len(is) - len(rest)
			}
			all = append(all, k)
		}
		if n := len(all) - countOf(all, nobody); n > most {
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

func letters(text string) side {
	s := side{leaves: func(int) []uint32 { return nil }}
	for _, c := range text {
		s.prints = append(s.prints, uint64(c))
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
			if diff := cmp.Diff(test.want, align(byLeaves(test.was), byLeaves(test.is))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func byLeaves(elements [][]uint32) side {
	s := side{leaves: func(i int) []uint32 { return elements[i] }}
	for _, leaves := range elements {
		s.prints = append(s.prints, printText(textSeed, fmt.Sprint(leaves)))
	}
	return s
}

// TestHugeListsAreAlignedWithoutSubsequence holds what is promised of them: equals in order, and quickly.
func TestHugeListsAreAlignedWithoutSubsequence(t *testing.T) {
	const length = 20000
	was := side{leaves: func(int) []uint32 { return nil }}
	for i := range length {
		was.prints = append(was.prints, uint64(i/2+1))
	}
	is := side{prints: slices.Clone(was.prints), leaves: was.leaves}
	rand.New(rand.NewSource(1)).Shuffle(length, func(i, j int) { is.prints[i], is.prints[j] = is.prints[j], is.prints[i] })
	last := map[uint64]int{}
	for i, j := range align(was, is) {
		print := was.prints[i]
		if j < 0 || is.prints[j] != print {
			t.Fatalf("element %d went to %d", i, j)
		}
		if before, found := last[print]; found && j < before {
			t.Fatalf("equals %d are out of order", print)
		}
		last[print] = j
	}
}

// TestTheSubsequenceHasALimit holds the documented number of pairs that it compares: 2^20, for lists of any form. Behind the
// limit an element that moved is taken in order, so that of two equals the first one is found.
func TestTheSubsequenceHasALimit(t *testing.T) {
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
		want := []int{nobody, test.head, test.head + 1}
		if test.moved {
			want = []int{test.head + 1, test.head, nobody}
		}
		for i := range test.rows - len(was) {
			was = append(was, uint64(1<<40+i))
		}
		for i := range test.columns - len(is) {
			is = append(is, uint64(1<<50+i))
		}
		none := func(int) []uint32 { return nil }
		head := slices.Repeat([]uint64{9}, test.head)
		got := align(side{slices.Concat(head, was), none}, side{slices.Concat(head, is), none})
		if diff := cmp.Diff(want, got[test.head:test.head+3]); diff != "" {
			t.Errorf("%d elements that became %d: %s", test.rows, test.columns, diff)
		}
	}
}

// edited is a list under an edit script. Owner says which of the elements at first an element is, or is a copy of; -1
// for a new one.
type edited struct {
	parts   []gadgetPart
	owner   []int
	touched []bool
	fresh   int64
}

func (e *edited) apply(t *rapid.T) {
	i := rapid.IntRange(0, max(0, len(e.parts)-1)).Draw(t, "at")
	switch script := rapid.SampledFrom([]string{"insert", "delete", "move", "edit", "copy"}).Draw(t, "script"); {
	case script == "insert" || len(e.parts) == 0:
		e.fresh++
		e.insert(min(i, len(e.parts)), gadgetPart{Weight: new(e.fresh)}, -1, true)
	case script == "copy":
		e.insert(i, e.parts[i], e.owner[i], true)
	case script == "delete":
		e.remove(i)
	case script == "move":
		part, owner, touched := e.parts[i], e.owner[i], e.touched[i]
		e.remove(i)
		e.insert(rapid.IntRange(0, len(e.parts)).Draw(t, "to"), part, owner, touched)
	default:
		e.fresh++
		e.parts[i].Ratio = new(float64(e.fresh))
		e.touched[i] = true
	}
}

func (e *edited) insert(i int, part gadgetPart, owner int, touched bool) {
	e.parts = slices.Insert(e.parts, i, part)
	e.owner = slices.Insert(e.owner, i, owner)
	e.touched = slices.Insert(e.touched, i, touched)
}

func (e *edited) remove(i int) {
	e.parts = slices.Delete(e.parts, i, i+1)
	e.owner = slices.Delete(e.owner, i, i+1)
	e.touched = slices.Delete(e.touched, i, i+1)
}

// TestHiddenValuesStayWithTheirOwners edits lists at random. No hidden value may come to an element that looks other
// than its owner did and is not its owner, and what was not touched keeps what it hides, or what its double hid.
func TestHiddenValuesStayWithTheirOwners(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stored := &storedGadget{Spec: &storedSpec{OriginalVersion: gadgetVersion}}
		colors := rapid.SliceOfN(rapid.SampledFrom([]string{"red", "blue", "green"}), 1, 6).Draw(t, "colors")
		for i, color := range colors {
			stored.Spec.Parts = append(stored.Spec.Parts, storedPart{Color: new(color), PropertyBag: bagOf("owner", fmt.Sprint(i))})
		}
		g := &gadget{}
		if err := g.convertFromStorage(stored); err != nil {
			t.Fatal(err)
		}
		e := &edited{parts: slices.Clone(g.Spec.Parts)}
		for i := range e.parts {
			e.owner, e.touched = append(e.owner, i), append(e.touched, false)
		}
		for range rapid.IntRange(0, 6).Draw(t, "edits") {
			e.apply(t)
		}
		g.Spec.Parts = e.parts
		got := &storedGadget{}
		if err := g.convertToStorage(got); err != nil {
			t.Fatal(err)
		}
		checkOwners(t, colors, e, got.Spec.Parts)
	})
}

func checkOwners(t *rapid.T, colors []string, e *edited, got []storedPart) {
	seen := map[string]bool{}
	for i, part := range got {
		hidden, found := part.PropertyBag["owner"]
		if !found {
			if e.owner[i] >= 0 && !e.touched[i] && !hasDouble(e, i) {
				t.Errorf("element %d was not touched, but lost what it hides: %v", i, e)
			}
			continue
		}
		if seen[string(hidden)] {
			t.Errorf("%s is at two elements", hidden)
		}
		seen[string(hidden)] = true
		var owner int
		fmt.Sscan(string(hidden), &owner)
		if e.owner[i] < 0 || colors[owner] != colors[e.owner[i]] {
			t.Errorf("element %d, which was %d, has what %d hid", i, e.owner[i], owner)
		}
	}
}

// hasDouble reports whether another element looks the same, so that it can have got what this one hid.
func hasDouble(e *edited, i int) bool {
	for j, part := range e.parts {
		if i != j && cmp.Equal(part, e.parts[i]) {
			return true
		}
	}
	return false
}
