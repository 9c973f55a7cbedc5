package ratios

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/chart"
)

// drawing says how the results of a benchmark become a chart.
type drawing struct {
	title, description string
	// series are the parts of names that tell bars of a row apart. They are the first parts, as in
	// "first pass, writes a resource", or the last.
	series []string
	first  bool
}

var drawings = map[string]drawing{
	"code":     {"What generated code costs beside Azure Service Operator", "Costs of a resource version as a share of what the same costs in Azure Service Operator: lines, time to compile, size of a program, start and heap. The page has the numbers in a table.", []string{"times Azure Service Operator"}, false},
	"crds":     {"Heap of an API server for each CRD", "MB of heap that each CRD takes in an API server, and its size as JSON, by set of CRDs. The page has the numbers in a table.", []string{"MB of heap for each"}, false},
	"operator": {"What the operator does for a resource", "Counts for each resource: in the first pass, which creates it, and in the second, after a start of the operator. The page has the numbers in a table.", []string{"first pass", "second pass"}, true},
	"plugin":   {"The plugin framework beside a bare go-plugin", "How often the time, and the CPU time, of a bare go-plugin goes into that of the framework. The page has the numbers in a table.", []string{"time", "CPU"}, false},
	"reviews":  {"What a request costs in reviews", "Conversion reviews that an API server sends for one request through another version than the storage version, and for each served version, version of managers and version of policies more. The page has the numbers in a table.", []string{"through another version", "a served version more", "a version of managers more", "a version of policies more"}, false},
	"upgrade":  {"What an upgrade does for an object", "Writes of each object, and conversions that the API server asks for with each write, by command and by the number of served versions. The page has the numbers in tables.", []string{"writes an object", "conversions a write"}, false},
}

// Chart draws the results of a benchmark as SVG; empty if they have no drawing.
func (r Record) Chart(bench string) string {
	d, found := drawings[bench]
	if !found {
		return ""
	}
	rows := map[string][]chart.Value{}
	most := 0.0
	for i, series := range d.series {
		for _, name := range slices.Sorted(maps.Keys(r[bench])) {
			row, isOfSeries := strings.CutSuffix(name, ", "+series)
			if d.first {
				row, isOfSeries = strings.CutPrefix(name, series+", ")
			}
			if !isOfSeries {
				continue
			}
			value := r[bench][name]
			most = max(most, value)
			for len(rows[row]) < i {
				rows[row] = append(rows[row], chart.Value{Text: "not measured"})
			}
			rows[row] = append(rows[row], chart.Value{Number: value, Text: fmt.Sprint(value)})
		}
	}
	c := chart.Chart{Title: d.title, Description: d.description, Series: d.series}
	c.Scale, c.Ticks = ruled(most)
	for _, name := range slices.SortedFunc(maps.Keys(rows), natural) {
		c.Rows = append(c.Rows, chart.Row{Name: name, Values: rows[name]})
	}
	return c.SVG()
}

// ruled returns a linear scale that reaches a number, and its ticks.
func ruled(most float64) (scale chart.Scale, ticks []chart.Value) {
	step := tick(most)
	end := max(step, step*math.Ceil(most/step))
	for n := 0.0; n <= end+step/2; n += step {
		ticks = append(ticks, chart.Value{Number: n, Text: fmt.Sprint(math.Round(n*100) / 100)})
	}
	return chart.Linear(end), ticks
}

// tick returns a distance of round numbers, of which some five reach the largest one.
func tick(most float64) float64 {
	if most <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(most/5)))
	for _, times := range []float64{1, 2, 5} {
		if most/(power*times) <= 5 {
			return power * times
		}
	}
	return 10 * power
}

// natural compares names: a shorter number is less.
func natural(a, b string) int {
	if c := strings.Compare(letters(a), letters(b)); c != 0 {
		return c
	}
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}
