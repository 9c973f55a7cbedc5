package chart

import (
	"fmt"
	"math"
	"strings"
)

// Lines is a chart of lines, with a point for each pair of numbers.
type Lines struct {
	Title string
	// Description says in words what the lines show.
	Description string
	Series      []Line
	// X and Y place numbers on the two axes, which have names and ticks.
	X, Y Axis
}

// Line has the points of a series, from left to right.
type Line struct {
	Name   string
	Points []Point
}

// Point is a pair of numbers.
type Point struct{ X, Y float64 }

// Axis is one of the two axes.
type Axis struct {
	Name  string
	Scale Scale
	Ticks []Value
}

// The layout of lines, in pixels.
const (
	plotHeight = 380
	leftMargin = 90
	lineWidth  = width - leftMargin - 40
)

// SVG draws the chart.
func (c Lines) SVG() string {
	var out strings.Builder
	begin(&out, topMargin+plotHeight+bottom+16, c.Title, c.Description)
	var names []string
	for _, line := range c.Series {
		names = append(names, line.Name)
	}
	legend(&out, names)
	for _, tick := range c.X.Ticks {
		x, _ := c.place(Point{tick.Number, 0})
		fmt.Fprintf(&out, `<line class="grid" x1="%d" y1="%d" x2="%[1]d" y2="%[3]d"/><text class="tick" x="%[1]d" y="%[4]d" text-anchor="middle">%[5]s</text>`+"\n",
			x, topMargin, topMargin+plotHeight, topMargin+plotHeight+18, escaped(tick.Text))
	}
	for _, tick := range c.Y.Ticks {
		_, y := c.place(Point{0, tick.Number})
		fmt.Fprintf(&out, `<line class="grid" x1="%d" y1="%d" x2="%[3]d" y2="%[2]d"/><text class="tick" x="%[4]d" y="%[5]d" text-anchor="end">%[6]s</text>`+"\n",
			leftMargin, y, leftMargin+lineWidth, leftMargin-8, y+4, escaped(tick.Text))
	}
	fmt.Fprintf(&out, `<text class="text" x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", leftMargin+lineWidth/2, topMargin+plotHeight+40, escaped(c.X.Name))
	fmt.Fprintf(&out, `<text class="text" x="%d" y="%d" text-anchor="end">%s</text>`+"\n", width-12, 22, escaped(c.Y.Name))
	for i, line := range c.Series {
		var points []string
		for _, p := range line.Points {
			x, y := c.place(p)
			points = append(points, fmt.Sprintf("%d,%d", x, y))
			fmt.Fprintf(&out, `<circle class="s%d" cx="%d" cy="%d" r="3"/>`+"\n", i, x, y)
		}
		fmt.Fprintf(&out, `<polyline class="l%d" fill="none" stroke-width="2" points="%s"/>`+"\n", i, strings.Join(points, " "))
	}
	out.WriteString("</svg>\n")
	return out.String()
}

// place returns where a point is. A point beyond an axis is at its end.
func (c Lines) place(p Point) (x, y int) {
	within := func(s Scale, n float64) float64 { return min(1, max(0, s(n))) }
	x = leftMargin + int(math.Round(within(c.X.Scale, p.X)*lineWidth))
	return x, topMargin + plotHeight - int(math.Round(within(c.Y.Scale, p.Y)*plotHeight))
}
