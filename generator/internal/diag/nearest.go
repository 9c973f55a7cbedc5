package diag

import "strings"

// Nearest returns the candidate that is most similar to a name, ignoring case, or "" if none is
// near: at most one letter in three may differ. Among equally near ones it returns the first. It
// returns "" for names of more than 200 bytes.
func Nearest(name string, candidates []string) string {
	if len(name) > maxMeant {
		return ""
	}
	best, least := "", max(1, len(name)/3)+1
	for _, candidate := range candidates {
		if gap := len(candidate) - len(name); gap >= least || -gap >= least {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(candidate)); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// maxMeant is the largest length of a name that is compared with others, since the comparison takes
// quadratic time.
const maxMeant = 200

// distance returns the number of letters to insert, remove, replace or swap with their neighbour to
// make b from a (optimal string alignment).
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last = last, row
		row = make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+differ(a[i], b[j]))
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

func differ(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}
