package wordlint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/tools/build/textlist"
)

// entry is a line of a budget.
type entry struct {
	folder string
	rule   Rule
}

// Budget is the number of findings that each folder may have of each rule.
type Budget map[entry]int

// Count counts findings.
func Count(findings []Finding) Budget {
	b := Budget{}
	for _, f := range findings {
		b[entry{f.Folder(), f.Rule}]++
	}
	return b
}

// ParseBudget reads a budget as String writes it.
func ParseBudget(text string) (Budget, error) {
	b := Budget{}
	for _, line := range textlist.Lines(text) {
		cells := strings.Fields(line)
		if len(cells) != 3 {
			return nil, fmt.Errorf("budget: %q is no folder, rule and number", line)
		}
		n, err := strconv.Atoi(cells[2])
		if err != nil {
			return nil, fmt.Errorf("budget: %w", err)
		}
		b[entry{cells[0], Rule(cells[1])}] = n
	}
	return b, nil
}

// String is a line for each folder and rule, sorted.
func (b Budget) String() string {
	var out strings.Builder
	for _, e := range slices.SortedFunc(maps.Keys(b), compare) {
		fmt.Fprintf(&out, "%s %s %d\n", e.folder, e.rule, b[e])
	}
	return out.String()
}

func compare(a, b entry) int {
	return cmp.Or(strings.Compare(a.folder, b.folder), strings.Compare(string(a.rule), string(b.rule)))
}

// Difference is a folder whose number of findings is not that of its budget.
type Difference struct {
	entry
	Want, Got int
}

// String returns the difference with its mend.
func (d Difference) String() string {
	if d.Got < d.Want {
		return fmt.Sprintf("%s has %d findings of %s, fewer than its budget of %d: lower it with -update", d.folder, d.Got, d.rule, d.Want)
	}
	return fmt.Sprintf("%s has %d findings of %s, more than its budget of %d", d.folder, d.Got, d.rule, d.Want)
}

// Is reports whether a finding is among those that the difference is about.
func (d Difference) Is(f Finding) bool { return d.entry == entry{f.Folder(), f.Rule} }

// Differences compares a budget with the findings, sorted by folder and rule.
func (b Budget) Differences(found Budget) []Difference {
	both := maps.Clone(b)
	maps.Copy(both, found)
	var all []Difference
	for _, e := range slices.SortedFunc(maps.Keys(both), compare) {
		if b[e] != found[e] {
			all = append(all, Difference{e, b[e], found[e]})
		}
	}
	return all
}

// Total is the number of findings of a rule in all folders.
func (b Budget) Total(rule Rule) int {
	sum := 0
	for e, n := range b {
		if e.rule == rule {
			sum += n
		}
	}
	return sum
}
