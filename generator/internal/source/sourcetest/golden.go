package sourcetest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// Want is the file of an archive with the expected output.
const Want = "want"

// Read reads the files of a tree.
type Read func(context.Context, source.Options) (*source.Result, error)

// Result returns what read reads below a folder. An error ends the test.
func (read Read) Result(t testing.TB, root string, workers int) *source.Result {
	t.Helper()
	result, err := read(t.Context(), source.Options{Root: root, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Goldens reads the archives of testdata, of idioms and of misuse, and compares the models and the
// messages with line, column, path and excerpt. The result must not depend on the number of
// workers.
func Goldens(t *testing.T, pattern string, read Read) {
	t.Helper()
	golden.Run(t, pattern, Want, func(t *testing.T, files golden.Files) string {
		dir := t.TempDir()
		unpack(t, dir, files)
		var texts []string
		for _, workers := range []int{1, 3} {
			texts = append(texts, strings.ReplaceAll(Text(t, read.Result(t, dir, workers)), dir+string(filepath.Separator), ""))
		}
		if texts[0] != texts[1] {
			t.Errorf("three workers read something else than one:\n%s", texts[1])
		}
		return texts[0]
	})
}

func unpack(t *testing.T, dir string, files golden.Files) {
	t.Helper()
	for name, body := range files {
		if name == Want {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Text returns a result as text: the model, and Report.
func Text(t *testing.T, r *source.Result) string {
	t.Helper()
	return string(model.Print(r.Resources...)) + Report(t, r)
}

// Report returns the messages of a result as text.
func Report(t *testing.T, r *source.Result) string {
	t.Helper()
	var text bytes.Buffer
	printer := diag.Printer{Sources: diag.NewSources(nil), Limit: -1}
	for _, b := range r.Broken {
		fmt.Fprintf(&text, "broken: %q %q %s %s\n", b.Type, b.Version, b.Source.File, b.Source.Scope)
		if err := printer.Text(&text, b.Messages); err != nil {
			t.Fatal(err)
		}
	}
	if err := printer.Text(&text, r.Notes); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
