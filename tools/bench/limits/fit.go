package limits

import (
	"math"
	"slices"

	"github.com/stratakube/strata/tools/bench/webhook"
)

// Curve has the points of one quantity, from the least to the largest.
type Curve struct {
	Name   string
	Points []webhook.Point
}

// Curves groups points by their curves, in the order of the first point of each.
func Curves(points []webhook.Point) (all []Curve) {
	for _, p := range points {
		i := slices.IndexFunc(all, func(c Curve) bool { return c.Name == p.Curve })
		if i < 0 {
			i, all = len(all), append(all, Curve{Name: p.Curve})
		}
		all[i].Points = append(all[i].Points, p)
	}
	return all
}

// Line is a constant in nanoseconds, and what one unit more adds.
type Line struct{ Constant, Each float64 }

// At returns the time for a value.
func (l Line) At(n float64) float64 { return l.Constant + l.Each*n }

// Fit returns the line with the least relative errors, squared, and the largest relative error of a
// point.
func (c Curve) Fit() (l Line, worst float64) {
	var w, x, y, xx, xy float64
	for _, p := range c.Points {
		weight := 1 / (p.CPU * p.CPU)
		w, x, y = w+weight, x+weight*p.N, y+weight*p.CPU
		xx, xy = xx+weight*p.N*p.N, xy+weight*p.N*p.CPU
	}
	l.Each = (w*xy - x*y) / (w*xx - x*x)
	l.Constant = (y - l.Each*x) / w
	for _, p := range c.Points {
		worst = max(worst, math.Abs(l.At(p.N)-p.CPU)/p.CPU)
	}
	return l, worst
}
