package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/emit/report"
	"github.com/stratakube/strata/generator/internal/plan"
)

// TestManyRowsAlike lists 200 properties of a version with one reason, and counts the others.
func TestManyRowsAlike(t *testing.T) {
	for count, more := range map[int]int{200: 0, 201: 1, 1000: 800} {
		var rows []plan.FreeJSON
		for i := range count {
			rows = append(rows, plan.FreeJSON{Type: "A/b", Version: "v1", Path: fmt.Sprintf("p%d.", i), Reason: "too many"})
		}
		rows = append(rows, plan.FreeJSON{Type: "A/b", Version: "v1", Path: "other", Reason: "a string against a list"})
		files := report.FreeJSON(&plan.Plan{Groups: []*plan.Group{{Chain: &chain.Group{Name: "g", Folder: "g"}, FreeJSON: rows}}})
		if len(files) != 1 {
			t.Fatalf("%d files", len(files))
		}
		body := string(files[0].Body)
		if got, want := strings.Count(body, "too many"), min(count, 200)+min(more, 1); got != want || !strings.Contains(body, "`other`") {
			t.Errorf("%d properties have %d rows, want %d", count, got, want)
		}
		if row := fmt.Sprintf("| A/b | v1 | %d more | too many |", more); strings.Contains(body, row) != (more > 0) {
			t.Errorf("%d properties, of which %d are not listed:\n%.300s", count, more, body)
		}
	}
}
