package webhook

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// The layout of the chart, in pixels.
const (
	chartWidth = 860
	labelWidth = 250
	plotWidth  = 520
	barHeight  = 14
	groupGap   = 16
	topMargin  = 64
	decades    = 5
	origin     = 1e4 // nanoseconds at the left edge
)

// colours are those of the handlers, which people with red-green colour blindness can
// distinguish.
var colours = []struct{ name, colour string }{
	{Echo, "#8a8f98"}, {Planned, "#0b6e99"}, {Typed, "#e0a526"}, {Peer, "#b2432f"},
}

// charted are the cases that the chart shows: three steps to the hub.
func (r Results) charted() []Row {
	return r.find(func(row Row) bool { return row.Steps == 3 && row.Up && row.Hidden == "" })
}

// Chart is the CPU time of a review by handler, as bars on a logarithmic scale, in SVG.
func (r Results) Chart() string {
	rows := r.charted()
	height := topMargin + len(rows)*(len(colours)*barHeight+groupGap) + 40
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="system-ui, sans-serif" font-size="12" role="img">`+"\n", chartWidth, height, chartWidth, height)
	out.WriteString("<title>CPU time of a review, by handler, on a logarithmic scale</title>\n")
	fmt.Fprintf(&out, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", chartWidth, height)
	out.WriteString(`<text x="12" y="22" font-size="15" font-weight="600" fill="#1d232b">CPU time of a review, three steps to the hub (logarithmic)</text>` + "\n")
	legend(&out)
	grid(&out, height-32)
	for i, row := range rows {
		bars(&out, row, topMargin+i*(len(colours)*barHeight+groupGap))
	}
	out.WriteString("</svg>\n")
	return out.String()
}

func legend(out *strings.Builder) {
	x := 12
	for _, c := range colours {
		fmt.Fprintf(out, `<rect x="%d" y="34" width="12" height="12" fill="%s"/><text x="%d" y="44" fill="#1d232b">%s</text>`+"\n", x, c.colour, x+17, c.name)
		x += 34 + 7*len(c.name)
	}
}

func grid(out *strings.Builder, bottom int) {
	for i := range decades + 1 {
		x := labelWidth + i*plotWidth/decades
		fmt.Fprintf(out, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#d9dde3"/><text x="%d" y="%d" text-anchor="middle" fill="#5b6470">%s</text>`+"\n",
			x, topMargin-8, x, bottom, x, bottom+16, decade(i))
	}
}

func decade(i int) string { return inWords(origin * math.Pow10(i)) }

func bars(out *strings.Builder, row Row, y int) {
	fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="end" fill="#1d232b">%s</text>`+"\n", labelWidth-10, y+len(colours)*barHeight/2+4, escaped(row.name()))
	for _, c := range colours {
		width := lengthOf(row.CPU[c.name])
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/><text x="%d" y="%d" font-size="10" fill="#5b6470">%s</text>`+"\n",
			labelWidth, y, width, barHeight-2, c.colour, labelWidth+width+5, y+barHeight-4, inWords(row.CPU[c.name]))
		y += barHeight
	}
}

// lengthOf returns the length of a bar. A bar that exceeds the chart ends at its edge.
func lengthOf(ns float64) int {
	length := math.Log10(max(ns, origin)/origin) * plotWidth / decades
	return min(int(math.Round(length)), plotWidth)
}

func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a builder never fails
	return out.String()
}
