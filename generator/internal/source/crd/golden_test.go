package crd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

const want = "want"

// TestIdioms reads archives of definitions, one idiom each, and compares the model.
func TestIdioms(t *testing.T) { golden.Run(t, "testdata/idioms/*.txtar", want, read) }

// TestMisuse reads archives of bad definitions and compares what is reported, with line, column, path and excerpt.
func TestMisuse(t *testing.T) { golden.Run(t, "testdata/misuse/*.txtar", want, read) }

// read reads the files of an archive, and gives the model and the messages.
func read(t *testing.T, files golden.Files) string {
	t.Helper()
	dir := t.TempDir()
	var names []string
	for name, body := range files {
		if name == want {
			continue
		}
		names = append(names, name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	var texts []string
	for _, workers := range []int{1, 3} {
		result, err := Read(context.Background(), Options{Root: dir, Files: names, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.ReplaceAll(report(t, result), dir+string(filepath.Separator), ""))
	}
	if texts[0] != texts[1] {
		t.Errorf("three workers read something else than one:\n%s", texts[1])
	}
	return texts[0]
}

func report(t *testing.T, r *source.Result) string {
	t.Helper()
	text := bytes.NewBuffer(model.Print(r.Resources...))
	printer := diag.Printer{Sources: diag.NewSources(nil), Limit: -1}
	for _, b := range r.Broken {
		fmt.Fprintf(text, "broken: %q %q %s %s\n", b.Type, b.Version, b.Source.File, b.Source.Scope)
		if err := printer.Text(text, b.Messages); err != nil {
			t.Fatal(err)
		}
	}
	if err := printer.Text(text, r.Notes); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
