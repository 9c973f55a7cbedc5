package corpus_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

// TestInventedHistories proves the laws on histories that never were: real schemas whose properties
// come, go and change as no author would let them.
func TestInventedHistories(t *testing.T) {
	tier.Soak(t, "invents histories of many schemas, and compiles them")
	l := labtest.WithSchemas(t)
	dir := filepath.Join(t.TempDir(), "schemas")
	m, unlock, err := corpus.OpenModule(l.Workspace, "invented", corpus.Project{Schemas: dir, Include: corpus.Of()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unlock)
	for i, file := range inventedFrom(t, l.Schemas()) {
		name := strings.TrimSuffix(filepath.Base(file), ".json") + " of " + filepath.Base(filepath.Dir(file))
		t.Run(name, func(t *testing.T) {
			if err := corpus.Invent(dir, file, fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(m.Output()); err != nil {
				t.Fatal(err)
			}
			generate(t, m.Project)
			checkFormat(t, m.Output())
			checkGeneratedTests(t, m, fiveCases)
		})
	}
}

// inventedFrom are the middle versions of all providers that have many.
func inventedFrom(t *testing.T, schemas string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(schemas, "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	const many = 8
	of := map[string][]string{}
	var names []string
	for _, file := range files {
		name := filepath.Base(file)
		if len(of[name]) == 0 {
			names = append(names, name)
		}
		of[name] = append(of[name], file)
	}
	var out []string
	for _, name := range names {
		if all := of[name]; len(all) >= many {
			out = append(out, all[len(all)/2])
		}
	}
	return out
}
