package crd

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/sourcetest"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// FuzzRead reads any bytes as a file of CRDs.
func FuzzRead(f *testing.F) {
	sourcetest.Seeds(f, func(file txtar.File) { f.Add(filepath.Ext(file.Name) == ".json", file.Data) })
	f.Fuzz(func(t *testing.T, isJSON bool, data []byte) {
		sourcetest.Check(t, len(data), func() *source.Result { return readBytes(isJSON, data) })
	})
}

// small limits let the fuzzer reach them.
var small = syntax.Limits{Size: 1 << 20, Depth: 60, Values: 1 << 16}

func readBytes(isJSON bool, data []byte) *source.Result {
	releases := []Release{{}}
	f := &file{release: &releases[0], path: "fuzz.yaml", name: "fuzz.yaml"}
	if isJSON {
		f.path, f.name = "fuzz.json", "fuzz.json"
	}
	f.parse(data, small)
	return gather(releases, []*file{f})
}
