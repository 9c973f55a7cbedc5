package crd

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/generator/internal/document"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// FuzzRead reads any bytes as a file of definitions. Whatever they are, reading ends, positions lie in the file, and
// what is understood can be said in the notation, and reads back as it was.
func FuzzRead(f *testing.F) {
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
				if file.Name != want {
					f.Add(filepath.Ext(file.Name) == ".json", file.Data)
				}
			}
		}
	}
	f.Fuzz(checkBytes)
}

// small limits let the fuzzer reach them.
var small = document.Limits{Size: 1 << 20, Depth: 60, Values: 1 << 16}

func readBytes(isJSON bool, data []byte) *source.Result {
	f := &file{path: "fuzz.yaml", name: "fuzz.yaml"}
	if isJSON {
		f.path, f.name = "fuzz.json", "fuzz.json"
	}
	f.parse(data, small)
	return gather([]*file{f})
}

func checkBytes(t *testing.T, isJSON bool, data []byte) {
	result := readBytes(isJSON, data)
	for _, b := range result.Broken {
		if len(b.Messages) == 0 {
			t.Errorf("%s %s is broken without a message", b.Type, b.Version)
		}
		for _, m := range b.Messages {
			if m.Text == "" || m.Pos.Offset > len(data) {
				t.Errorf("message %+v", m)
			}
		}
	}
	text := model.Print(result.Resources...)
	if again := model.Print(readBytes(isJSON, data).Resources...); !bytes.Equal(text, again) {
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
