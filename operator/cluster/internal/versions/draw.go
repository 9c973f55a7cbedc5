package versions

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stratakube/strata/operator/cluster/internal/terminal"
)

// Draw prints a kind as [Kind.Table] does, and draws a bar beside each number of objects. The
// longest bar is that of the largest number. There are no bars without a screen, nor if their
// longest has no room.
func (k *Kind) Draw(w io.Writer, screen terminal.Screen) error {
	const gap = "  "
	var table bytes.Buffer
	k.Table(&table)
	lines := strings.Split(strings.TrimSuffix(table.String(), "\n"), "\n")
	rows := lines[2:] // after the title and the heads of columns
	width := 0
	for _, row := range rows {
		width = max(width, utf8.RuneCountInString(row))
	}
	counts := k.counts()
	most := max(1, slices.Max(append(slices.Clone(counts), 0)))
	for i, n := range counts {
		if bar := screen.Bar(n, most, screen.Columns-width-len(gap)); bar != "" {
			rows[i] += strings.Repeat(" ", width-utf8.RuneCountInString(rows[i])) + gap + bar
		}
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

// counts returns the numbers of objects of the rows that [Kind.Table] prints.
func (k *Kind) counts() []int {
	var out []int
	for _, v := range k.Versions {
		out = append(out, v.Originals)
	}
	for _, name := range slices.Sorted(maps.Keys(k.Unknown)) {
		out = append(out, k.Unknown[name])
	}
	return out
}
