package bicep

import (
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/sourcetest"
)

// FuzzRead reads any bytes as a file of types.
func FuzzRead(f *testing.F) {
	sourcetest.Seeds(f, func(file txtar.File) { f.Add(file.Data) })
	f.Fuzz(checkBytes)
}

// checkBytes checks what holds for any bytes. Every resource with a spec has a status.
func checkBytes(t *testing.T, data []byte) {
	sourcetest.Check(t, len(data), func() *source.Result {
		result := readBytes(data)
		for _, r := range result.Resources {
			for _, v := range r.Versions {
				if v.Status == nil {
					t.Errorf("version %s of %s has no status", v.Name, r.Type)
				}
			}
		}
		return result
	})
}

func readBytes(data []byte) *source.Result {
	files := fstest.MapFS{"types.json": {Data: data}}
	return document.Gather([]*document.Unit{read(files, "", "types.json")})
}
