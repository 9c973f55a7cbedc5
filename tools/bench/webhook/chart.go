package webhook

import (
	"math"

	"github.com/stratakube/strata/tools/build/chart"
)

// The scale of the chart.
const (
	decades = 5
	origin  = 1e4 // nanoseconds at the left edge
)

// charted are the cases that the chart shows: three steps to the hub.
func (r Results) charted() []Row {
	return r.find(func(row Row) bool { return row.Steps == 3 && row.Up && row.Hidden == "" })
}

// Chart is the CPU time of a review by handler, as bars on a logarithmic scale, in SVG.
func (r Results) Chart() string {
	c := chart.Chart{
		Title:       "CPU time of a review, three steps to the hub (logarithmic)",
		Description: "Processor time of a review by handler, in each case, on a logarithmic scale. The page has the numbers in tables.",
		Series:      []string{Planned, Echo, Typed, Peer}, Scale: chart.Log(origin, decades),
	}
	for i := range decades + 1 {
		n := origin * math.Pow10(i)
		c.Ticks = append(c.Ticks, chart.Value{Number: n, Text: inWords(n)})
	}
	for _, row := range r.charted() {
		out := chart.Row{Name: row.name()}
		for _, handler := range c.Series {
			out.Values = append(out.Values, chart.Value{Number: row.CPU[handler], Text: inWords(row.CPU[handler])})
		}
		c.Rows = append(c.Rows, out)
	}
	return c.SVG()
}
