package arm

import "strings"

// nearest gives the candidate that a name most likely means, letter case aside,
// or "" where none is near: at most one letter in three may be wrong.
func nearest(name string, candidates []string) string {
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

// distance counts the letters to insert, remove or replace to make b from a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, change)
		}
	}
	return row[len(b)]
}
