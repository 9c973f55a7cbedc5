package chart

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLines compares a chart with a golden file. A name has characters of XML, and one point is
// beyond both axes.
func TestLines(t *testing.T) {
	c := Lines{
		Title: "Bytes < time", Description: "Two lines & two axes.",
		Series: []Line{{"a <b>", []Point{{1, 1}, {10, 10}, {1000, 1000}}}, {"c", []Point{{1, 10}, {100, 20}}}},
		X:      Axis{"bytes & more", Log(1, 2), []Value{{1, "1"}, {100, "100"}}},
		Y:      Axis{"time", Linear(20), []Value{{0, "0 s"}, {20, "20 s"}}},
	}
	file := filepath.Join("testdata", "lines.svg")
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), c.SVG()); diff != "" {
		t.Errorf("chart (-want +got):\n%s", diff)
	}
}
