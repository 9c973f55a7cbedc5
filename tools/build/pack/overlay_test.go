package pack

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOverlay checks that a cache shares modules of others, leaves ours out, and has a folder that
// is no link for each module, which go mod verify requires.
func TestOverlay(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	for _, name := range []string{"single.dev@v1.0.0/x/a.go", "example.com/ours@v1.0.0/a.go", "example.com/others@v1.0.0/a.go", "example.org/b@v1.0.0/a.go", "cache/download/example.com/ours/@v/list"} {
		path := filepath.Join(from, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := overlay(from, to, []string{"example.com/ours"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"single.dev@v1.0.0": true, "single.dev@v1.0.0/x/a.go": true, "example.com/others@v1.0.0": true, "example.org/b@v1.0.0": true, "example.com/ours@v1.0.0": false, "cache/download/example.com/ours": false} {
		info, err := os.Lstat(filepath.Join(to, filepath.FromSlash(name)))
		if (err == nil) != want {
			t.Errorf("%s is there: %v", name, err == nil)
		}
		if want && err == nil && filepath.Ext(name) != ".go" && info.Mode()&os.ModeSymlink != 0 {
			t.Errorf("%s is a link", name)
		}
	}
}
