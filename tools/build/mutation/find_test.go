package mutation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/modules"
)

// TestWorkspaceIsCopied requires that gremlins works on the modules in their own folders, with
// a copy of go.work.sum.
func TestWorkspaceIsCopied(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	files := map[string]string{
		"go.work":     "go 1.26.0\n\nuse (\n\t./low\n\t./high\n)\n\nreplace example.com/low v0.0.0 => ./low\n",
		"go.work.sum": "example.com/x v1.0.0 h1:x=\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	work, err := workspaceIn(&modules.Workspace{Root: root}, dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(work)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{root + "/low\n", root + "/high\n", "example.com/low v0.0.0 => " + root + "/low\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "./") {
		t.Errorf("folders are not absolute in\n%s", text)
	}
	if sums, err := os.ReadFile(filepath.Join(dir, "go.work.sum")); err != nil || string(sums) != files["go.work.sum"] {
		t.Errorf("the sums are %q (error %v)", sums, err)
	}
}
