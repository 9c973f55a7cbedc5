package openapi

import (
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/sourcetest"
)

// FuzzRead reads any bytes as a document, and as a file that it refers to.
func FuzzRead(f *testing.F) {
	sourcetest.Seeds(f, func(file txtar.File) { f.Add(filepath.Ext(file.Name) == ".json", file.Data) })
	f.Fuzz(checkBytes)
}

func checkBytes(t *testing.T, isJSON bool, data []byte) {
	if len(data) > 1<<16 {
		t.Skip("not this case: large files are slow, and no other")
	}
	sourcetest.Check(t, len(data), func() *source.Result { return readBytes(isJSON, data) })
}

func readBytes(isJSON bool, data []byte) *source.Result {
	name := "fuzz.yaml"
	if isJSON {
		name = "fuzz.json"
	}
	lib := open("", fstest.MapFS{name: {Data: data}, "other.json": {Data: data}}, []string{name, "other.json"})
	return gather([]*unit{read(lib, name)})
}
