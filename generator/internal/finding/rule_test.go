package finding_test

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/finding"
)

// TestRules checks that identifiers and names are distinct, complete and in order, and that a rule
// is found by either.
func TestRules(t *testing.T) {
	id, seen := regexp.MustCompile(`^ST(1[012]|20)\d\d$`), map[string]bool{}
	for _, r := range finding.Rules() {
		if !id.MatchString(r.ID) || seen[r.ID] || seen[r.Name] {
			t.Errorf("%s %s: not an identifier, or one that another rule has", r.ID, r.Name)
		}
		seen[r.ID], seen[r.Name] = true, true
		if r.Text == "" || r.Effect == "" || r.Advice == "" || r.Class == "" || r.Direction == "" || (r.Conversion == "") != (r.Severity == finding.None) {
			t.Errorf("%s %s is not complete: %+v", r.ID, r.Name, r)
		}
		for _, text := range []string{r.ID, strings.ToLower(r.ID), r.Name} {
			if got, found := finding.Find(text); !found || got.ID != r.ID {
				t.Errorf("%s finds %q", text, got.ID)
			}
		}
	}
	if !slices.IsSortedFunc(finding.Rules(), func(a, b finding.Rule) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the rules are not in the order of their identifiers")
	}
	if _, found := finding.Find("ST9999"); found {
		t.Error("an unknown identifier has a rule")
	}
}

var update = flag.Bool("update-page", false, "write the page of the reference")

// TestPage compares the page of the reference with the rules.
func TestPage(t *testing.T) {
	const file = "../../../docs/guide/reference/rules.md"
	if *update {
		if err := os.WriteFile(file, []byte(finding.Page()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat("../../../docs"); err != nil {
			t.Skip("needs the repository: it has the page")
		}
	}
	if string(text) != finding.Page() {
		t.Errorf("%s differs from the rules: go test ./generator/internal/finding -run TestPage -update-page", file)
	}
}
