package fingerprint

import "slices"

// Side is one side of an alignment: the fingerprints of all elements, and a function for their
// leaves. Align calls it only if the fingerprints do not decide.
type Side struct {
	Prints []uint64
	Leaves func(i int) []uint32
}

// Align returns, for every element of the old list, its index in the new list, or -1 if it has
// none. It matches, in this order:
//
//   - the longest common subsequence, if comparing the lists takes at most maxCells steps;
//   - equal elements that moved, in order;
//   - edited elements: two remaining elements that share a leaf with each other and with no
//     other.
//
// So identical elements are matched in order, and no element matches one that shares nothing with
// it.
func Align(was, is Side) []int {
	a := alignment{was: was, is: is, now: make([]int, len(was.Prints)), taken: make([]bool, len(is.Prints))}
	for i := range a.now {
		a.now[i] = -1
	}
	head, wasEnd, isEnd := a.trim()
	if rows, columns := wasEnd-head, isEnd-head; rows > 0 && columns > 0 {
		if rows <= maxCells/columns {
			a.subsequence(head, wasEnd, isEnd)
		}
		a.moved()
		a.edited()
	}
	return a.now
}

// maxCells is the largest number of element pairs that the longest common subsequence may
// compare.
const maxCells = 1 << 20

type alignment struct {
	was, is Side
	now     []int
	taken   []bool
}

func (a *alignment) match(was, is int) { a.now[was], a.taken[is] = is, true }

// trim matches equal elements at both ends, and returns the bounds of the rest.
func (a *alignment) trim() (head, wasEnd, isEnd int) {
	was, is := a.was.Prints, a.is.Prints
	for head < len(was) && head < len(is) && was[head] == is[head] {
		a.match(head, head)
		head++
	}
	wasEnd, isEnd = len(was), len(is)
	for wasEnd > head && isEnd > head && was[wasEnd-1] == is[isEnd-1] {
		wasEnd, isEnd = wasEnd-1, isEnd-1
		a.match(wasEnd, isEnd)
	}
	return head, wasEnd, isEnd
}

// subsequence matches the longest common subsequence of the rest. If there are several, it takes
// the one whose elements come first in the old list, and then in the new one.
func (a *alignment) subsequence(head, wasEnd, isEnd int) {
	was, is := a.was.Prints[head:wasEnd], a.is.Prints[head:isEnd]
	longest := longestCommon(was, is)
	j := 0
	for i, print := range was {
		k := j + slices.Index(is[j:], print)
		if k >= j && longest.from(i+1, k+1)+1 == longest.from(i, j) {
			a.match(head+i, head+k)
			j = k + 1
		}
	}
}

// moved matches equal elements that remain, in order.
func (a *alignment) moved() {
	left := map[uint64][]int{}
	for j, print := range a.is.Prints {
		if !a.taken[j] {
			left[print] = append(left[print], j)
		}
	}
	for i, print := range a.was.Prints {
		if equals := left[print]; a.now[i] < 0 && len(equals) > 0 {
			a.match(i, equals[0])
			left[print] = equals[1:]
		}
	}
}

// edited matches remaining elements that share a leaf with each other and with no other remaining
// element.
func (a *alignment) edited() {
	var was, is []int
	for i, j := range a.now {
		if j < 0 {
			was = append(was, i)
		}
	}
	for j, taken := range a.taken {
		if !taken {
			is = append(is, j)
		}
	}
	if len(is) == 0 {
		return
	}
	wasLeaves := leavesOf(a.was, was)
	if !slices.ContainsFunc(wasLeaves, func(leaves []uint32) bool { return len(leaves) > 0 }) {
		return
	}
	isLeaves := leavesOf(a.is, is)
	forward, back := partners(wasLeaves, isLeaves), partners(isLeaves, wasLeaves)
	for i, j := range forward {
		if j >= 0 && back[j] == i {
			a.match(was[i], is[j])
		}
	}
}

func leavesOf(s Side, indices []int) [][]uint32 {
	out := make([][]uint32, len(indices))
	for i, index := range indices {
		out[i] = s.Leaves(index)
	}
	return out
}

const (
	// Nobody is the index of an element without a partner.
	Nobody  = -1
	several = -2
)

// partners returns, for each element, the only other with which it shares a leaf, else Nobody or
// several.
func partners(of, with [][]uint32) []int {
	owners := map[uint32]int{}
	for i, leaves := range with {
		for _, leaf := range leaves {
			if owner, found := owners[leaf]; found && owner != i {
				owners[leaf] = several
			} else {
				owners[leaf] = i
			}
		}
	}
	out := make([]int, len(of))
	for i, leaves := range of {
		out[i] = Nobody
		for _, leaf := range leaves {
			owner, found := owners[leaf]
			if !found {
				continue
			}
			if out[i] == Nobody {
				out[i] = owner
			} else if out[i] != owner {
				out[i] = several
			}
		}
	}
	return out
}
