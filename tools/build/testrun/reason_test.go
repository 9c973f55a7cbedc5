package testrun

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/modules"
)

// literal finds the texts that tests give to Skip.
var literal = regexp.MustCompile(`\b(?:t|tb|b|f)\.Skipf?\("([^"]*)"`)

// TestEveryTestStatesKindOfReason looks at the texts in the code, since the reasons of this
// machine are few.
func TestEveryTestStatesKindOfReason(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, m := range w.Modules {
		err := filepath.WalkDir(m.Dir, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.Contains(path, "testrun") {
				return err
			}
			body, err := os.ReadFile(path)
			for _, skip := range literal.FindAllStringSubmatch(string(body), -1) {
				found++
				if !slices.ContainsFunc(Reasons, func(r Reason) bool { return strings.HasPrefix(skip[1], r.Kind+": ") }) {
					t.Errorf("%s skips a test with %q: want a kind of reason of tools/build/testrun/reason.go before a colon", path, skip[1])
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 50 {
		t.Errorf("only %d skips were found: what looks for them has gone wrong", found)
	}
}

func TestReasonsOfVariables(t *testing.T) {
	set := func(name string) Machine {
		return Machine{Environment: func(asked string) string { return map[string]string{name: "1"}[asked] }}
	}
	tests := []struct {
		text     string
		machine  Machine
		accepted bool
	}{
		{"needs STRATA_CORPUS=1: it compiles all", set(""), true},
		{"needs STRATA_CORPUS=1: it compiles all", set("STRATA_CORPUS"), false},
		{"needs STRATA_SOAK=1: tries all", set(""), true},
		{"needs STRATA_SOAK=1: tries all", set("STRATA_SOAK"), false},
		{"needs STRATA_LONG=1: tries many", set(""), true},
		{"needs STRATA_LONG=1: tries many", set("STRATA_LONG"), false},
		{"needs STRATA_LONG=1: tries many", set("STRATA_SOAK"), false},
		{"needs built programs: others are named", set("KUBEBUILDER_ASSETS"), true},
		{"needs built programs: others are named", set(""), false},
		{"needs the repository: there is no page", set(""), false},
		{"needs symbolic links: there are none", set(""), !canLink()},
		{"needs an ordinary user: root may do it", set(""), os.Geteuid() == 0},
		{"not this case: too large", set(""), true},
		{"shortly: takes long", Machine{Short: true}, false},
		{"short", Machine{Short: true}, false},
	}
	for _, test := range tests {
		if why := test.machine.judge(test.text); (why == "") != test.accepted {
			t.Errorf("%q is judged %q", test.text, why)
		}
	}
}
