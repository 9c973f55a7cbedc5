package label

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// StorageSuffix ends the label of the storage version that belongs to an API version.
const StorageSuffix = "storage"

// Compare orders the labels of versions by age. It compares their numbers first, which may be
// dates. Within a number, previews, alpha and beta precede the label without a suffix:
// v20140404preview < v20140404, v1alpha1 < v1beta1 < v1 < v2alpha1, v1api20230101 < v20240101.
func Compare(a, b string) int {
	x, y := parseLabel(a), parseLabel(b)
	return cmp.Or(
		compareNumbers(x.number, y.number),
		compareBool(x.suffix == "", y.suffix == ""),
		strings.Compare(x.suffix, y.suffix),
		compareNumbers(x.round, y.round),
		strings.Compare(a, b),
	)
}

// label has the parts of a version: v1beta2 has the number 1, the suffix beta and the round 2.
type label struct{ number, suffix, round string }

func parseLabel(text string) label {
	rest := strings.TrimPrefix(text, "v")
	if dated, ok := strings.CutPrefix(rest, "1api"); ok {
		rest = dated // the versions of Azure Service Operator are dates
	}
	tail := strings.TrimLeft(rest, Digits)
	suffix := strings.TrimRight(tail, Digits)
	return label{rest[:len(rest)-len(tail)], suffix, tail[len(suffix):]}
}

// Digits are the decimal digits.
const Digits = "0123456789"

// compareNumbers compares decimal numbers of any length. An empty number precedes all others.
func compareNumbers(a, b string) int {
	x, errX := strconv.ParseUint(a, 10, 64)
	y, errY := strconv.ParseUint(b, 10, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// Kept returns the version of a list that is used in place of a version: the version itself if
// the list has it, else the next later one, else the latest. For an empty version it returns the
// hub's: the latest without a suffix, or the latest if all have one. It returns an empty string
// for an empty list.
func Kept(version string, kept []string) string {
	sorted := slices.SortedFunc(slices.Values(kept), Compare)
	if len(sorted) == 0 {
		return ""
	}
	if version != "" {
		i, _ := slices.BinarySearchFunc(sorted, version, Compare)
		return sorted[min(i, len(sorted)-1)]
	}
	for _, label := range slices.Backward(sorted) {
		if parseLabel(label).suffix == "" {
			return label
		}
	}
	return sorted[len(sorted)-1]
}

// undecidedSeparator separates the two versions of an undecided original version: the earlier one,
// and the one of the write. No label of a version has a bar.
const undecidedSeparator = "|"

// Undecided returns an undecided original version. Before is the earlier one, and wished that of
// the write.
func Undecided(before, wished string) string { return before + undecidedSeparator + wished }

// ParseUndecided splits an original version at the mark, and reports whether it is undecided.
func ParseUndecided(original string) (before, wished string, open bool) {
	return strings.Cut(original, undecidedSeparator)
}

// Decided returns an original version, and the earlier one if it is undecided.
func Decided(original string) string {
	before, _, _ := ParseUndecided(original)
	return before
}
