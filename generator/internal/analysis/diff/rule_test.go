package diff_test

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
)

// TestRules checks that identifiers and names are distinct and complete, and that an archive has a
// change of each rule.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, want, _ := strings.Cut(string(text), "\n-- want --\n")
		for line := range strings.Lines(want) {
			if words := strings.Fields(line); strings.HasPrefix(line, "  ") && len(words) > 1 {
				found[words[1]] = true
			}
		}
	}
	id, seen := regexp.MustCompile(`^ST1[012]\d\d$`), map[string]bool{}
	for _, r := range diff.Rules() {
		if !id.MatchString(r.ID) || seen[r.ID] || seen[r.Name] {
			t.Errorf("%s %s: not an identifier, or one that another rule has", r.ID, r.Name)
		}
		seen[r.ID], seen[r.Name] = true, true
		if r.Text == "" || r.Effect == "" || r.Advice == "" || r.Class == "" || r.Direction == "" {
			t.Errorf("%s %s says too little: %+v", r.ID, r.Name, r)
		}
		// Declared changes need a configuration: scripts of the engine have them.
		if !found[r.Name] && r.Name != "changed" && r.Name != "moved" {
			t.Errorf("no archive has a change of the rule %s", r.Name)
		}
		for _, text := range []string{r.ID, strings.ToLower(r.ID), r.Name} {
			if got, found := diff.FindRule(text); !found || got.ID != r.ID {
				t.Errorf("%s finds %q", text, got.ID)
			}
		}
	}
	if _, found := diff.FindRule("ST9999"); found {
		t.Error("an unknown identifier has a rule")
	}
}

var update = flag.Bool("update-page", false, "write the page of the reference")

// TestPage compares the page of the reference with the rules.
func TestPage(t *testing.T) {
	const file = "../../../../docs/guide/reference/rules.md"
	if *update {
		if err := os.WriteFile(file, []byte(diff.Page()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat("../../../../docs"); err != nil {
			t.Skip("needs the repository: it has the page")
		}
	}
	if string(text) != diff.Page() {
		t.Errorf("%s differs from the rules: go test ./generator/internal/analysis/diff -run TestPage -update-page", file)
	}
}
