package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// TestVerifySums changes a module in a cache: its folder, and its zip.
func TestVerifySums(t *testing.T) {
	cache, m := t.TempDir(), module.Version{Path: "example.com/Upper", Version: "v1.0.0"}
	dir := filepath.Join(cache, "example.com", "!upper@v1.0.0")
	archive := filepath.Join(cache, "cache", "download", "example.com", "!upper", "@v", "v1.0.0.zip")
	for _, folder := range []string{dir, filepath.Dir(archive)} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	pack := func() {
		t.Helper()
		f, err := os.Create(archive)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		if err := zip.CreateFromDir(f, m, dir); err != nil {
			t.Fatal(err)
		}
	}
	const good, changed = "module example.com/Upper\n", "module example.com/Upper // changed\n"
	write(good)
	pack()
	sum, err := dirhash.HashDir(dir, m.String(), dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[module.Version]string{m: sum, {Path: "example.com/gone", Version: "v1.0.0"}: sum}
	if err := verifySums(t.Context(), cache, sums); err != nil {
		t.Error(err)
	}
	write(changed)
	if err := verifySums(t.Context(), cache, sums); err == nil || !strings.Contains(err.Error(), "!upper@v1.0.0 was changed") {
		t.Errorf("another folder: %v", err)
	}
	pack()
	write(good)
	if err := verifySums(t.Context(), cache, sums); err == nil || !strings.Contains(err.Error(), "v1.0.0.zip was changed") {
		t.Errorf("another zip: %v", err)
	}
}
