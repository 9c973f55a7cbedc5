package sourcetest

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// Seeds adds the input files of the archives in testdata.
func Seeds(f *testing.F, add func(file txtar.File)) {
	f.Helper()
	for _, pattern := range []string{"testdata/idioms/*.txtar", "testdata/misuse/*.txtar"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatalf("no seeds at %s: %v", pattern, err)
		}
		for _, name := range names {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				f.Fatal(err)
			}
			for _, file := range archive.Files {
				if file.Name != Want {
					add(file)
				}
			}
		}
	}
}

// Check checks properties of every result. A second reading gives the same. Positions are within a
// file of the given size. Broken entries have messages. Versions and definitions are complete. The
// model's text parses to the same model.
func Check(t *testing.T, size int, read func() *source.Result) {
	t.Helper()
	result := read()
	for _, r := range result.Resources {
		for _, v := range r.Versions {
			checkVersion(t, v, size)
		}
	}
	for _, b := range result.Broken {
		if len(b.Messages) == 0 {
			t.Errorf("%s %s is broken without a message", b.Type, b.Version)
		}
		for _, m := range b.Messages {
			if m.Text == "" || m.Pos.Offset > size {
				t.Errorf("message %+v", m)
			}
		}
	}
	text := model.Print(result.Resources...)
	if again := model.Print(read().Resources...); !bytes.Equal(text, again) {
		t.Errorf("a second run gives another model:\n%s\n%s", text, again)
	}
	parsed, err := model.Parse("fuzz", text)
	if err != nil {
		t.Fatalf("the model's text cannot be parsed: %v\n%s", err, text)
	}
	if again := model.Print(parsed...); !bytes.Equal(text, again) {
		t.Errorf("the model's text does not read back as it was:\n%s\n%s", text, again)
	}
}

func checkVersion(t *testing.T, v *model.Version, size int) {
	t.Helper()
	if v.Name == "" || v.Spec == nil || v.Pos.Offset >= size {
		t.Errorf("version %+v", v)
	}
	defs := map[string]bool{}
	for _, d := range v.Defs {
		if defs[d.Name] {
			t.Errorf("the definition %q is there twice", d.Name)
		}
		defs[d.Name] = true
	}
	roots := []model.Type{v.Spec}
	if v.Status != nil {
		roots = append(roots, v.Status)
	}
	for _, d := range model.Closure(roots...) {
		if v.Def(d.Name) != d {
			t.Errorf("the definition %q is reached and not listed", d.Name)
		}
	}
}
