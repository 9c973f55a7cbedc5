package bicep

import (
	"bytes"
	"path/filepath"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// FuzzRead reads any bytes as a file of types. Whatever they are, reading ends,
// positions lie in the file, and what is understood is complete and can be said in
// the notation.
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
			take(archive, wantModel, wantMessages)
			for _, file := range archive.Files {
				f.Add(file.Data)
			}
		}
	}
	f.Fuzz(checkBytes)
}

// checkBytes holds for any bytes.
func checkBytes(t *testing.T, data []byte) {
	result := readBytes(data)
	for _, r := range result.Resources {
		for _, v := range r.Versions {
			checkVersion(t, v, len(data))
		}
	}
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
	if again := model.Print(readBytes(data).Resources...); !bytes.Equal(text, again) {
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

func readBytes(data []byte) *source.Result {
	files := fstest.MapFS{"types.json": {Data: data}}
	return gather([]*unit{read(files, "", "types.json")})
}

func checkVersion(t *testing.T, v *model.Version, size int) {
	t.Helper()
	if v.Name == "" || v.Spec == nil || v.Status == nil || v.Pos.Offset >= size {
		t.Errorf("version %+v", v)
	}
	defs := map[string]bool{}
	for _, d := range v.Defs {
		if defs[d.Name] {
			t.Errorf("the definition %q is there twice", d.Name)
		}
		defs[d.Name] = true
	}
	for _, d := range model.Closure(v.Spec, v.Status) {
		if v.Def(d.Name) != d {
			t.Errorf("the definition %q is reached and not listed", d.Name)
		}
	}
}
