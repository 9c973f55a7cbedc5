package webhook_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/bench/webhook"
)

// rowOf is a row where plans take so many nanoseconds.
func rowOf(transport string, objects, size int, planned, echo, peer, allocations float64) webhook.Row {
	return webhook.Row{
		Transport: transport, Objects: objects, Size: size, Steps: 3, Up: true,
		CPU:         map[string]float64{webhook.Planned: planned, webhook.Echo: echo, webhook.Typed: peer / 2, webhook.Peer: peer},
		Ratio:       map[string]float64{webhook.Planned: 1, webhook.Echo: echo / planned, webhook.Typed: peer / 2 / planned, webhook.Peer: peer / planned},
		Allocations: map[string]float64{webhook.Planned: allocations},
	}
}

func hiding(row webhook.Row) webhook.Row {
	row.Hidden = "five values"
	return row
}

func TestPageJudgesByWorstCase(t *testing.T) {
	results := webhook.Results{
		Rows: []webhook.Row{
			rowOf("HTTP/2", 1, 6000, 110, 100, 500, 0),
			rowOf("HTTP/1.1", 1, 6000, 120, 100, 600, 0),
			rowOf("HTTP/2", 1, 36_000, 120, 100, 600, 0),
			rowOf("HTTP/2 over a new connection", 1, 6000, 200, 100, 600, 0),
			rowOf("in process", 1, 6000, 10, 1, 500, 15),
			rowOf("in process", 500, 6000, 5000, 10, 250_000, 514),
			hiding(rowOf("in process", 500, 6000, 10_000, 10, 250_000, 514)),
		},
		Memory: map[string]uint64{webhook.Planned: 9_900_000, webhook.Typed: 30_000_000, webhook.Peer: 200_000_000},
	}
	page := results.Page()
	for reason, want := range map[string]string{
		"a goal is missed by the worst":      "| one object of 6 KB over TLS, times an echo | at most 1.15 | 1.20 | missed |",
		"another size has another goal":      "| one object of 36 KB over TLS, times an echo | at most 1.25 | 1.20 | reached |",
		"both sizes have one goal":           "| one object over TLS, times less than controller-runtime | at least 3.5 | 4.5 | reached |",
		"new connections do not count":       "| HTTP/2 over a new connection, one object of 6 KB | 3 | to the hub | 2.00 |",
		"hidden values count by their row":   "| 500 objects with hidden values, times those without | at most 1.5 | 2.00 | missed |",
		"the smallest distance to the peer":  "| 500 objects in process, times less than controller-runtime | at least 40 | 50.0 | reached |",
		"allocations are those of one more":  "| allocations for one object more | at most 1 | 1.00 | reached |",
		"memory is that of plans":            "| MB beyond the review of 5,000 objects | at most 10 | 9.9 | reached |",
		"rows have ratios first":             "| in process, 500 objects of 6 KB | 3 | to the hub | 500.00 | 25.0 | 50.0 | 5.0 us | 1.00 |",
		"memory of the others stands beside": "| controller-runtime | 200.0 |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s: no %q in\n%s", reason, want, page)
		}
	}
}

func TestChartIsWellFormed(t *testing.T) {
	results := webhook.Results{Rows: []webhook.Row{rowOf("HTTP/2", 1, 6000, 110e3, 100e3, 500e3, 0), rowOf("in process", 1, 6000, 1, 1, 1e12, 0)}}
	d, bars := xml.NewDecoder(strings.NewReader(results.Chart())), 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "rect" {
			bars++
		}
	}
	if want := 1 + 4 + 2*4; bars != want {
		t.Errorf("%d rectangles, want %d: ground, legend, and one for each handler of each case", bars, want)
	}
}
