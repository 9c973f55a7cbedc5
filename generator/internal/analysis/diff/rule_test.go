package diff_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/finding"
)

// TestRulesHaveChanges checks that an archive has a change of each rule.
func TestRulesHaveChanges(t *testing.T) {
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
	for _, r := range finding.Rules() {
		if !strings.HasPrefix(r.ID, "ST1") {
			continue // strata check reports it
		}
		// Declared changes need a configuration: scripts of the engine have them.
		if !found[r.Name] && r.Name != "changed" && r.Name != "moved" {
			t.Errorf("no archive has a change of the rule %s", r.Name)
		}
	}
}
