// Package chart draws numbers as bars and lines, in SVG: for reports, which have the numbers
// beside. A chart has a title and a description for screen readers, and colours for light and dark
// pages.
package chart

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// Chart is a chart of horizontal bars. Each row has a bar for each series.
type Chart struct {
	Title string
	// Description says in words what the bars show.
	Description string
	Series      []string
	Rows        []Row
	// Scale places numbers. Ticks are the numbers below the bars.
	Scale Scale
	Ticks []Value
}

// Row is a group of bars, with a number for each series.
type Row struct {
	Name   string
	Values []Value
}

// Value is a number, and its text beside the bar.
type Value struct {
	Number float64
	Text   string
}

// Scale returns where a number is, between 0 at the left edge and 1 at the right.
type Scale func(number float64) float64

// Linear is the scale from zero to a number.
func Linear(most float64) Scale { return func(n float64) float64 { return n / most } }

// Log is the scale from a number over some decades.
func Log(least float64, decades int) Scale {
	return func(n float64) float64 { return math.Log10(max(n, least)/least) / float64(decades) }
}

// The layout, in pixels.
const (
	width      = 860
	labelWidth = 250
	plotWidth  = 520
	barHeight  = 14
	groupGap   = 16
	topMargin  = 64
	bottom     = 40
)

// style has the colours: of the page, of text, and of series, which people with red-green colour
// blindness can distinguish.
const style = `<style>
.page{fill:#fff}.text{fill:#1d232b}.small{fill:#5b6470;font-size:10px}.tick{fill:#5b6470}.grid{stroke:#d9dde3}
.s0{fill:#0b6e99}.s1{fill:#8a8f98}.s2{fill:#e0a526}.s3{fill:#b2432f}
.l0{stroke:#0b6e99}.l1{stroke:#8a8f98}.l2{stroke:#e0a526}.l3{stroke:#b2432f}
@media (prefers-color-scheme:dark){
.page{fill:#0d1117}.text{fill:#e6edf3}.small,.tick{fill:#9aa4af}.grid{stroke:#30363d}
.s0{fill:#4ba3cf}.s1{fill:#7d858f}.s2{fill:#d9a429}.s3{fill:#e0715c}
.l0{stroke:#4ba3cf}.l1{stroke:#7d858f}.l2{stroke:#d9a429}.l3{stroke:#e0715c}}
</style>
`

// SVG draws the chart.
func (c Chart) SVG() string {
	group := len(c.Series)*barHeight + groupGap
	height := topMargin + len(c.Rows)*group + bottom
	var out strings.Builder
	begin(&out, height, c.Title, c.Description)
	legend(&out, c.Series)
	for _, tick := range c.Ticks {
		x := labelWidth + c.length(tick.Number)
		fmt.Fprintf(&out, `<line class="grid" x1="%d" y1="%d" x2="%[1]d" y2="%[3]d"/><text class="tick" x="%[1]d" y="%[4]d" text-anchor="middle">%[5]s</text>`+"\n",
			x, topMargin-8, height-32, height-16, escaped(tick.Text))
	}
	for i, row := range c.Rows {
		c.bars(&out, row, topMargin+i*group)
	}
	out.WriteString("</svg>\n")
	return out.String()
}

// begin writes what all charts begin with: title, description, colours and page.
func begin(out *strings.Builder, height int, title, description string) {
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" font-family="system-ui, sans-serif" font-size="12" role="img" aria-labelledby="title desc">`+"\n", width, height)
	fmt.Fprintf(out, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", escaped(title), escaped(description))
	out.WriteString(style)
	fmt.Fprintf(out, `<rect class="page" width="%d" height="%d"/>`+"\n", width, height)
	fmt.Fprintf(out, `<text class="text" x="12" y="22" font-size="15" font-weight="600">%s</text>`+"\n", escaped(title))
}

// legend names the series, if there are several.
func legend(out *strings.Builder, series []string) {
	if len(series) < 2 {
		return
	}
	x := 12
	for i, name := range series {
		fmt.Fprintf(out, `<rect class="s%d" x="%d" y="34" width="12" height="12"/><text class="text" x="%d" y="44">%s</text>`+"\n", i, x, x+17, escaped(name))
		x += 34 + 7*len(name)
	}
}

func (c Chart) bars(out *strings.Builder, row Row, y int) {
	fmt.Fprintf(out, `<text class="text" x="%d" y="%d" text-anchor="end">%s</text>`+"\n", labelWidth-10, y+len(c.Series)*barHeight/2+4, escaped(row.Name))
	for i, v := range row.Values {
		length := c.length(v.Number)
		fmt.Fprintf(out, `<rect class="s%d" x="%d" y="%d" width="%d" height="%d"/><text class="small" x="%d" y="%d">%s</text>`+"\n",
			i, labelWidth, y, length, barHeight-2, labelWidth+length+5, y+barHeight-4, escaped(v.Text))
		y += barHeight
	}
}

// length returns the length of a bar. A bar that exceeds the chart ends at its edge.
func (c Chart) length(number float64) int {
	return min(int(math.Round(c.Scale(number)*plotWidth)), plotWidth)
}

func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a builder never fails
	return out.String()
}
