package model

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzParse checks that Parse does not panic on any text, and that a parsed model is the same
// after printing and parsing.
func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		want, err := Parse("text", text)
		if err != nil {
			if want != nil || err.Error() == "" {
				t.Fatalf("resources %v beside error %q", want, err)
			}
			return
		}
		printed := Print(want...)
		got := parse(t, string(printed))
		same(t, want, got)
		if again := Print(got...); !bytes.Equal(again, printed) {
			t.Errorf("printed twice:\n%s\n%s", printed, again)
		}
	})
}

func seed(f *testing.F) {
	for _, model := range handWritten() {
		f.Add(Print(model...))
	}
	paths, err := filepath.Glob("testdata/*.txtar")
	more, _ := filepath.Glob("testdata/errors/*.txtar")
	if err != nil || len(paths) == 0 || len(more) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, path := range append(paths, more...) {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			f.Add(file.Data)
		}
	}
}
