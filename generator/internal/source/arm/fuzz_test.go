package arm

import (
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/sourcetest"
)

// FuzzRead reads any bytes as a schema beside a common file.
func FuzzRead(f *testing.F) {
	sourcetest.Seeds(f, func(file txtar.File) { f.Add(file.Data) })
	f.Fuzz(checkBytes)
}

// checkBytes checks what holds for any bytes.
func checkBytes(t *testing.T, data []byte) {
	sourcetest.Check(t, len(data), func() *source.Result { return readBytes(t, data) })
}

func readBytes(t *testing.T, data []byte) *source.Result {
	t.Helper()
	files := fstest.MapFS{
		"2020-01-01/Acme.Garden.json": {Data: data},
		"2019-01-01/Acme.Garden.json": {Data: []byte(`{"definitions": {"Bed": {"type": "object", "properties": {"old": {"$ref": "#/definitions/Bed"}}}}}`)},
		"common/definitions.json":     {Data: []byte(`{"definitions": {"plan": {"type": "string"}}}`)},
	}
	paths, err := source.List("", files)
	if err != nil {
		t.Fatal(err)
	}
	return document.Gather([]*document.Unit{compileFile(open("", files, paths), "2020-01-01/Acme.Garden.json")})
}
