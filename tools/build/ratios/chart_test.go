package ratios

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/chart"
)

var update = flag.Bool("update", false, "draw the charts of docs/reports anew")

// TestChartsOfReports compares the charts of the reports with the recorded numbers, which they
// show, and requires that the pages show the charts.
func TestChartsOfReports(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "docs", "reports")
	all, err := Read(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	for bench := range drawings {
		compare(t, filepath.Join(dir, bench+".svg"), all.Chart(bench))
		page, err := os.ReadFile(filepath.Join(dir, bench+".md"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), "]("+bench+".svg)") {
			t.Errorf("the page of %s has no chart", bench)
		}
	}
}

// TestChartOfGeneratedCode compares the chart of the size of generated code with the table beside
// it.
func TestChartOfGeneratedCode(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "docs", "reports")
	page, err := os.ReadFile(filepath.Join(dir, "generated-code.md"))
	if err != nil {
		t.Fatal(err)
	}
	c := chart.Chart{
		Title: "Lines of Go for each version of a resource", Description: "Lines of generated code, without tests, for each version of a resource: before and now. The page has the numbers in a table.",
		Series: []string{"now", "before"},
	}
	most := 0.0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.ReplaceAll(strings.TrimSpace(line), ",", ""), "|")
		if len(cells) != 6 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "Microsoft.") {
			continue
		}
		row := chart.Row{Name: strings.TrimSpace(cells[1])}
		for _, at := range []int{4, 3} {
			text := strings.TrimSpace(cells[at])
			n, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			most, row.Values = max(most, n), append(row.Values, chart.Value{Number: n, Text: text})
		}
		c.Rows = append(c.Rows, row)
	}
	if len(c.Rows) < 5 {
		t.Fatalf("the table has %d rows", len(c.Rows))
	}
	c.Scale, c.Ticks = ruled(most)
	compare(t, filepath.Join(dir, "generated-code.svg"), c.SVG())
	if !strings.Contains(string(page), "](generated-code.svg)") {
		t.Error("the page has no chart")
	}
}

// compare compares a file with a chart.
func compare(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s does not show the recorded numbers: run go test ./tools/build/ratios -update", file)
	}
}

// TestEachNumberIsDrawn counts the bars of each chart of a drawn record.
func TestEachNumberIsDrawn(t *testing.T) {
	r := Record{
		"operator": {"first pass, writes a resource": 3, "second pass, writes a resource": 0},
		"plugin":   {"start, plain, time": 2.65, "call <200>, plain, time": 1, "call <200>, plain, CPU": 1.5, "call <200>, mTLS, CPU": 1.5},
		"upgrade":  {},
	}
	for bench, want := range map[string]int{"operator": 1 + 2 + 2, "plugin": 1 + 2 + 5, "upgrade": 1 + 2} {
		d, bars, names := xml.NewDecoder(strings.NewReader(r.Chart(bench))), 0, 0
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if start, isStart := token.(xml.StartElement); isStart {
				switch start.Name.Local {
				case "rect":
					bars++
				case "title", "desc":
					names++
				}
			}
		}
		if bars != want || names != 2 {
			t.Errorf("%s has %d rectangles, want %d: page, legend and bars; %d of title and description", bench, bars, want, names)
		}
	}
	if got := r.Chart("webhook"); got != "" {
		t.Errorf("a benchmark without a drawing has %s", got)
	}
}

func TestTick(t *testing.T) {
	for most, want := range map[float64]float64{0: 1, 2.65: 1, 3: 1, 22.6: 5, 1: 0.2, 1000: 200} {
		if got := tick(most); got != want {
			t.Errorf("up to %v a tick is %v, want %v", most, got, want)
		}
	}
}
