package modules_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/modules"
)

func TestFind(t *testing.T) {
	tests := []struct {
		reason  string
		archive string
		want    string // "name <- its siblings", a line each
		err     string
	}{
		{
			reason: "a module comes after what it requires, wherever go.work names it",
			archive: `
-- go.work --
go 1.26.0
use (
	./a
	./deep/b
	./c
)
-- a/go.mod --
module example.com/a
require (
	example.com/deep/b v0.0.0
	example.com/c v0.0.0
	example.org/other v1.0.0
)
-- deep/b/go.mod --
module example.com/deep/b
require example.com/c v0.0.0 // indirect
-- c/go.mod --
module example.com/c
`,
			want: "c\ndeep/b <- example.com/c\na <- example.com/c example.com/deep/b\n",
		},
		{
			reason: "modules without siblings are sorted by path",
			archive: `
-- go.work --
go 1.26.0
use ./b
use ./a
-- a/go.mod --
module example.com/a
-- b/go.mod --
module example.com/b
`,
			want: "a\nb\n",
		},
		{
			reason: "a cycle is shown from where it starts",
			archive: `
-- go.work --
go 1.26.0
use (
	./a
	./b
	./c
)
-- a/go.mod --
module example.com/a
require example.com/b v0.0.0
-- b/go.mod --
module example.com/b
require example.com/c v0.0.0
-- c/go.mod --
module example.com/c
require example.com/b v0.0.0
`,
			err: "modules require one another: example.com/b -> example.com/c -> example.com/b",
		},
		{
			reason:  "a folder without a module is named",
			archive: "-- go.work --\ngo 1.26.0\nuse ./gone\n",
			err:     "read module: open ROOT/gone/go.mod: no such file or directory",
		},
		{
			reason:  "a go.mod without a module line is named",
			archive: "-- go.work --\ngo 1.26.0\nuse ./a\n-- a/go.mod --\ngo 1.26.0\n",
			err:     "read module: ROOT/a/go.mod has no module line",
		},
		{
			reason:  "a go.work that does not parse is named with its line",
			archive: "-- go.work --\ngo 1.26.0\nfrob ./a\n",
			err:     "read workspace: ROOT/go.work:2: unknown directive: frob",
		},
		{
			reason:  "a folder outside of any workspace is an error",
			archive: "-- x --\n",
			err:     "no go.work in ROOT or above it",
		},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			root := extract(t, test.archive)
			w, err := modules.Find(root)
			if got := message(err, root); got != test.err {
				t.Fatalf("error = %q, want %q", got, test.err)
			}
			if err == nil && describe(w) != test.want {
				t.Errorf("found\n%swant\n%s", describe(w), test.want)
			}
		})
	}
}

func TestFindFromBelowRoot(t *testing.T) {
	root := extract(t, "-- go.work --\ngo 1.26.0\nuse ./a\n-- a/go.mod --\nmodule example.com/a\n-- a/b/c.go --\n")
	w, err := modules.Find(filepath.Join(root, "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	if w.Root != root || w.Modules[0].Dir != filepath.Join(root, "a") {
		t.Errorf("root %s and module %s, want those of %s", w.Root, w.Modules[0].Dir, root)
	}
}

// TestThisWorkspace holds the order of the real modules, so that a new arrow between them is seen.
func TestThisWorkspace(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	api, err := w.Module("operator/api")
	if err != nil {
		t.Fatal(err)
	}
	generator, err := w.Module("generator")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []modules.Module{api, generator} {
		if got := strings.Join(m.Siblings, " "); got != "github.com/stratakube/strata/runtime" {
			t.Errorf("%s requires siblings %q, want the runtime alone", m.Path, got)
		}
	}
	if _, err := w.Module("nowhere"); err == nil {
		t.Error("a module that is not there was found")
	}
	if m, err := w.Module("runtime"); err != nil || len(m.Siblings) > 0 {
		t.Errorf("the runtime requires siblings %q (error %v), want none", m.Siblings, err)
	}
}

func extract(t *testing.T, archive string) string {
	t.Helper()
	root := t.TempDir()
	if err := txtar.Write(txtar.Parse([]byte(archive)), root); err != nil {
		t.Fatal(err)
	}
	return root
}

func describe(w *modules.Workspace) string {
	var b strings.Builder
	for _, m := range w.Modules {
		b.WriteString(m.Name)
		if len(m.Siblings) > 0 {
			b.WriteString(" <- " + strings.Join(m.Siblings, " "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func message(err error, root string) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), root, "ROOT")
}
