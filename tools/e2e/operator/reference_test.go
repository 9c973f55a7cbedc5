package operator_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/reconciler"
)

// TestConditionsAreThoseOfOperator compares the page's table with the one in the code, whose
// rows have tests.
func TestConditionsAreThoseOfOperator(t *testing.T) {
	var table strings.Builder
	table.WriteString("| condition or event | status | reason | meaning | what happens next |\n|---|---|---|---|---|\n")
	for _, m := range reconciler.Meanings {
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", code(m.Of), m.Status, code(m.Reason), m.Means, m.Next)
	}
	text, err := os.ReadFile("../../../docs/guide/reference/conditions.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	if !strings.Contains(page, "\n\n"+table.String()+"\n") {
		t.Errorf("docs/guide/reference/conditions.md has another table than the code; it should be\n%s", table.String())
	}
}

func code(word string) string {
	if word == "" {
		return ""
	}
	return "`" + word + "`"
}
