package release_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/release"
)

// tagged makes a release without its gates.
func (s *site) tagged(wanted ...string) {
	s.t.Helper()
	if _, err := s.open().Prepare(s.t.Context(), wanted...); err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.open().Tag(s.t.Context(), release.TagOptions{Unchecked: true}); err != nil {
		s.t.Fatal(err)
	}
}

func refused(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error = %v, want it to contain %q", err, part)
		}
	}
}

// TestPrepareRefuses makes changes that the wanted versions do not permit. Nothing of the
// repository is changed then.
func TestPrepareRefuses(t *testing.T) {
	tests := []struct {
		reason, file, old, text, wanted string
		parts                           []string
	}{
		{"a removed function in a patch", "base/base.go", "func Greet(", "func Welcome(", "base@v0.1.1", []string{"base v0.1.1 is too small, it has to be v0.2.0 or higher, because of a change in example.com/strata/base: Greet: removed"}},
		{"a new function in a patch", "base/base.go", "// Greet ", "// New is new.\nfunc New() {}\n\n// Greet ", "base@v0.1.1", []string{"New: added"}},
		{"a changed format in a patch", "base/keys.txt", "first", "second", "base@v0.1.1", []string{`stored keys: base/keys.txt: the line "first" was removed`}},
		{"other generated code in a patch", "maker/cmd/maker/main.go", "func Greeting() ", "func Hello() ", "maker@v0.1.1", []string{"generated code", "Greeting: removed"}},
		{"other decisions for the same schema", "maker/cmd/maker/main.go", "name := strings", "_ = os.WriteFile(\"made/ledger.txt\", []byte(\"Bob\"), 0o666)\n\tname := strings", "maker@v0.1.1", []string{"ledger.txt changed, which must stay"}},
		{"an earlier version", "base/base.go", "// Greet ", "// Greet politely ", "base@v0.1.0", []string{"the last version is v0.1.0"}},
		{"a set that comes apart", "base/base.go", "// Greet ", "// Greet politely ", "base@v0.2.0", []string{"share the first two numbers"}},
		{"an unknown module", "base/base.go", "// Greet ", "// Greet politely ", "bass@v0.1.1", []string{`no module "bass" is released`}},
		{"no version", "base/base.go", "// Greet ", "// Greet politely ", "0.2.0", []string{`"0.2.0" is no version`}},
	}
	s := newSite(t)
	s.tagged("v0.1.0")
	begin := s.git("rev-parse", "HEAD")
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			s.t = t
			s.git("reset", "--quiet", "--hard", begin)
			s.edit(test.file, test.old, test.text)
			s.commit(test.reason)
			head := s.git("rev-parse", "HEAD")
			_, err := s.open().Prepare(t.Context(), test.wanted)
			refused(t, err, test.parts...)
			if s.git("rev-parse", "HEAD") != head || s.git("status", "--porcelain") != "" {
				t.Error("the repository was changed")
			}
		})
	}
}

// TestPrepareUndoes checks that a release that fails late leaves the work tree as it was.
func TestPrepareUndoes(t *testing.T) {
	s := newSite(t)
	s.edit("CHANGELOG.md", "## [Unreleased]", "## Unreleased")
	s.commit("rename")
	head := s.git("rev-parse", "HEAD")
	_, err := s.open().Prepare(t.Context(), "v0.1.0")
	refused(t, err, "CHANGELOG.md has no line")
	if s.git("rev-parse", "HEAD") != head || s.git("status", "--porcelain") != "" {
		t.Error("the repository was changed")
	}
	if err := os.WriteFile(filepath.Join(s.root, "mine.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = s.open().Prepare(t.Context(), "v0.1.0")
	refused(t, err, "has changes", "mine.txt")
}

// TestPrepareLacksModule requires a hint if the module cache lacks a module.
func TestPrepareLacksModule(t *testing.T) {
	s := newSite(t)
	s.edit("upper/cmd/hello/main.go", "import (", "import (\n\t_ \"example.org/never\"")
	s.commit("import")
	_, err := s.open().Prepare(t.Context(), "v0.1.0")
	refused(t, err, "example.org/never: module lookup disabled", "run go tool mage modules first")
	if changed := s.git("status", "--porcelain"); changed != "" {
		t.Errorf("the repository was changed: %s", changed)
	}
}

// TestTagRefuses prepares a release, and then changes what it has computed.
func TestTagRefuses(t *testing.T) {
	tests := []struct {
		reason, file, old, text string
		unchecked               bool
		want                    string
	}{
		{"a commit that was not checked", "base/base.go", "// Greet ", "// Greet politely ", false, "has not passed release:check"},
		{"a tree that is not the one that was summed", "base/base.go", "// Greet ", "// Greet politely ", true, "the tree has h1:"},
		{"a replace", "made/go.mod", "go 1.26.0", "go 1.26.0\n\nreplace example.com/x => ../x", true, "has a replace"},
		{"an unpublished sibling", "made/go.mod", "base v0.1.0", "base v0.0.0", true, "published nowhere"},
		{"another version than releases.yaml has", "releases.yaml", "base: v0.1.0", "base: v0.1.1", true, "whose version is v0.1.1"},
	}
	s := newSite(t)
	if _, err := s.open().Prepare(t.Context(), "v0.1.0"); err != nil {
		t.Fatal(err)
	}
	begin := s.git("rev-parse", "HEAD")
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			s.t = t
			s.git("reset", "--quiet", "--hard", begin)
			s.edit(test.file, test.old, test.text)
			s.commit(test.reason)
			_, err := s.open().Tag(t.Context(), release.TagOptions{Unchecked: test.unchecked})
			refused(t, err, test.want)
			if tags := s.git("tag"); tags != "" {
				t.Errorf("there are tags %s", tags)
			}
		})
	}
}
