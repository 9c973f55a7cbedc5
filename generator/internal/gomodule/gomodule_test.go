package gomodule_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/generator/internal/gomodule"
)

func TestImportPath(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("outer/go.mod", "// comment\nmodule example.com/outer // trailing\n\ngo 1.26\n")
	write("outer/nested/go.mod", "module \"example.com/nested\"\n")
	write("outer/broken/go.mod", "modules\n")
	if err := os.MkdirAll(filepath.Join(dir, "outer/folder/go.mod"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ reason, folder, path, file string }{
		{"the root of a module", "outer", "example.com/outer", "outer/go.mod"},
		{"a folder that does not exist yet", "outer/api/v1", "example.com/outer/api/v1", "outer/go.mod"},
		{"the nearest module counts", "outer/nested/api", "example.com/nested/api", "outer/nested/go.mod"},
		{"a go.mod without a module", "outer/broken/api", "", "outer/broken/go.mod"},
		{"a folder called go.mod makes no module", "outer/folder", "example.com/outer/folder", "outer/go.mod"},
		{"no module", ".", "", ""},
	} {
		path, file := gomodule.ImportPath(filepath.Join(dir, test.folder))
		if want := test.file; want != "" {
			test.file = filepath.Join(dir, want)
		}
		if path != test.path || file != test.file {
			t.Errorf("%s: got %q of %q, want %q of %q", test.reason, path, file, test.path, test.file)
		}
	}
}
