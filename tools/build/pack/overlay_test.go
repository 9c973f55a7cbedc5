package pack

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/mod/module"
)

// TestOverlay checks that a cache shares modules of others and leaves ours out. The folders of
// modules are links, or copies of those that go mod verify reads.
func TestOverlay(t *testing.T) {
	from := t.TempDir()
	for _, name := range []string{
		"single.dev@v1.0.0/x/a.go", "single.dev@v1.1.0/x/a.go", "example.com/!upper/z@v1.0.0/a.go", "example.com/ours@v1.0.0/a.go",
		"example.com/others@v1.0.0/a.go", "example.org/b@v1.0.0/a.go", "cache/download/example.com/ours/@v/list", "cache/download/example.com/others/@v/list",
	} {
		path := filepath.Join(from, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const none, link, folder = "none", "a link", "a folder"
	for _, test := range []struct {
		verified map[module.Version]bool
		want     map[string]string
	}{
		{nil, map[string]string{
			"single.dev@v1.0.0": link, "single.dev@v1.1.0": link, "example.com/!upper": link, "example.com/others@v1.0.0": link, "example.org": link,
		}},
		{map[module.Version]bool{{Path: "single.dev", Version: "v1.0.0"}: true, {Path: "example.com/Upper/z", Version: "v1.0.0"}: true, {Path: "example.com/ours", Version: "v1.0.0"}: true}, map[string]string{
			"single.dev@v1.0.0": folder, "single.dev@v1.0.0/x": folder, "single.dev@v1.1.0": none, "example.com/!upper/z@v1.0.0": folder, "example.com/others@v1.0.0": none,
		}},
	} {
		to := t.TempDir()
		if err := overlay(from, to, []string{"example.com/ours"}, test.verified); err != nil {
			t.Fatal(err)
		}
		test.want["example.com/ours@v1.0.0"], test.want["cache/download/example.com/ours"] = none, none
		test.want["cache/download/example.com/others"] = link
		for name, want := range test.want {
			got := none
			if info, err := os.Lstat(filepath.Join(to, filepath.FromSlash(name))); err == nil {
				got = folder
				if info.Mode()&os.ModeSymlink != 0 {
					got = link
				}
			}
			if got != want {
				t.Errorf("with verified %v, %s is %s, want %s", test.verified, name, got, want)
			}
		}
	}
}
