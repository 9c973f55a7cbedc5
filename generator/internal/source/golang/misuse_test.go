package golang_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/golang"
)

// TestMisuse reads packages that break rules, and compares the whole output: message, line, column,
// excerpt and hint.
func TestMisuse(t *testing.T) {
	golden.Run(t, "testdata/misuse/*.txtar", "want", func(t *testing.T, files golden.Files) string {
		dir := unpack(t, files)
		result := read(t, dir)
		var list diag.List
		for _, b := range result.Broken {
			list.Add(b.Messages...)
		}
		if list.Count(diag.Error) == 0 {
			return "no error\n"
		}
		if len(result.Resources) > 0 {
			t.Error("a broken package has resources")
		}
		var out bytes.Buffer
		if err := (diag.Printer{Sources: diag.NewSources(nil)}).Text(&out, list.Messages()); err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(out.String(), dir, "$WORK")
	})
}

// unpack writes files into a new module, and returns its folder.
func unpack(t *testing.T, files golden.Files) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, body string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/shop\n\ngo 1.26\n")
	for name, body := range files {
		if !strings.HasPrefix(name, "want") {
			write(name, body)
		}
	}
	return dir
}

func read(t *testing.T, dir string) *source.Result {
	t.Helper()
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=readonly")
	t.Setenv("GOPROXY", "off")
	result, err := golang.Read(t.Context(), golang.Options{Dir: dir, Packages: []string{"./..."}, Output: "example.com/shop/gen"})
	if err != nil {
		t.Fatal(err)
	}
	return result
}
