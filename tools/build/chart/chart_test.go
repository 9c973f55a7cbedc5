package chart

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSVG compares a chart with a golden file. A name has characters of XML, a bar exceeds the
// chart, and another one is too short to see.
func TestSVG(t *testing.T) {
	c := Chart{
		Title: "Bytes < time", Description: "Two rows & two series.", Series: []string{"one", "another"}, Scale: Log(1, 2),
		Ticks: []Value{{1, "1"}, {10, "10"}, {100, "100"}},
		Rows:  []Row{{"a <b>", []Value{{10, "10 s"}, {1000, "1,000 s"}}}, {"c", []Value{{0, "0 s"}}}},
	}
	file := filepath.Join("testdata", "chart.svg")
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), c.SVG()); diff != "" {
		t.Errorf("chart (-want +got):\n%s", diff)
	}
}
