package tutorial_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/tutorial"
)

// TestRehearsal releases v0.1.0 of all modules in a clone of this repository, v0.1.1 of the
// runtime, and v0.2.0 of all. The project of the tutorial goes through them with go get -u: it is
// begun with the first, and its generated tests pass with each. The new generator then changes
// nothing that the project has stored.
func TestRehearsal(t *testing.T) {
	tier.Soak(t, "makes three releases of all modules, builds strata and a webhook, and runs a cluster")
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	r := newReleases(t, w.Root)
	tags, env := r.release("v0.1.0")
	if n := len(r.open().Settings.Versions); n < 9 || len(tags) != n {
		t.Errorf("v0.1.0 has the tags %q, and %d modules are released", tags, n)
	}
	s := newcomer(t, env).follow(t, tutorial.Release, read(t, w, "docs/guide/tutorial.md"), 11, "9443")
	s.dir = filepath.Join(s.dir, "demo")
	s.requires(t, "runtime v0.1.0", "webhook v0.1.0")

	r.edit("runtime/doc.go", "// Package runtime", "// A release changes this comment only.\n//\n// Package runtime")
	if tags, env = r.release(); !slices.Equal(tags, []string{"runtime/v0.1.1"}) {
		t.Errorf("the patch has the tags %q", tags)
	}
	s.updates(t, env)
	s.requires(t, "runtime v0.1.1", "webhook v0.1.0")

	r.edit("runtime/doc.go", "\npackage runtime\n", "\npackage runtime\n\n// Rehearsed is new in v0.2.0.\nconst Rehearsed = true\n")
	if tags, env = r.release("v0.2.0"); len(tags) != len(r.open().Settings.Versions) {
		t.Errorf("v0.2.0 has the tags %q", tags)
	}
	s.updates(t, env)
	s.requires(t, "runtime v0.2.0", "webhook v0.2.0")
	const update = "GOBIN=$PWD/../bin go install github.com/stratakube/strata/generator/cmd/strata@latest && ../bin/strata version && " +
		"git init --quiet && git add --all && ../bin/strata generate && git diff --exit-code -- api/ledger && go test ./..."
	// The go command may say first what it downloads.
	if printed, err := s.run(t, update); err != nil || !strings.Contains("\n"+printed, "\nstrata v0.2.0 ") {
		t.Errorf("the generator of v0.2.0: %v\n%s", err, printed)
	}
}

// updates gets what is released with go get -u, and runs all tests of the project.
func (s *shell) updates(t *testing.T, env []string) {
	t.Helper()
	s.env = append(s.env, env...)
	if printed, err := s.run(t, "go get -u ./... && go vet ./... && go test ./... && go build ./cmd/webhook && rm webhook"); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
}

// requires compares the versions of modules that the project requires.
func (s *shell) requires(t *testing.T, want ...string) {
	t.Helper()
	for _, m := range want {
		name, version, _ := strings.Cut(m, " ")
		printed, err := s.run(t, fmt.Sprintf("go list -m github.com/stratakube/strata/%s", name))
		if err != nil || strings.TrimSpace(printed) != "github.com/stratakube/strata/"+m {
			t.Errorf("the project has %q (%v), want %s of %s", printed, err, version, name)
		}
	}
}
