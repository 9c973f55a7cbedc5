package corpus_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

// copied is a copy of the schemas of a provider, for changing them.
func copied(t *testing.T, provider string) string {
	t.Helper()
	from, to := labtest.WithSchemas(t).Schemas(), t.TempDir()
	for _, glob := range append(corpus.Of(provider), "common/*") {
		files, err := filepath.Glob(filepath.Join(from, filepath.FromSlash(glob)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			copied := filepath.Join(to, strings.TrimPrefix(file, from))
			if err := os.MkdirAll(filepath.Dir(copied), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, copied, read(t, file))
		}
	}
	return to
}

// TestVersionWithoutSchemaComesFromLedger removes schemas from the middle, the start
// and the end of the chain, one after the other.
func TestVersionWithoutSchemaComesFromLedger(t *testing.T) {
	tier.Long(t, "generates from published schemas")
	schemas := copied(t, "Microsoft.Kusto")
	p := project(t, "gone", corpus.Project{Schemas: schemas, Include: corpus.Of("Microsoft.Kusto")})
	generate(t, p)
	before := tree(t, p.Output())
	for _, gone := range []string{"2021-01-01", "2018-09-07-preview", "2025-02-14"} {
		remove(t, filepath.Join(schemas, gone, "Microsoft.Kusto.json"))
		generate(t, p)
		if different := before.Differences(tree(t, p.Output())); len(different) > 0 {
			t.Errorf("without the schema of %s other files are generated:\n%s", gone, some(different))
		}
	}

	// Generated files may be missing as well: the ledger alone has all keys.
	for _, folder := range []string{"kusto/v20210101", "kusto/v20180907preview", "kusto/v20250214"} {
		if err := os.RemoveAll(filepath.Join(p.Output(), filepath.FromSlash(folder))); err != nil {
			t.Fatal(err)
		}
	}
	generate(t, p)
	if different := before.Differences(tree(t, p.Output())); len(different) > 0 {
		t.Errorf("from the ledger alone other files are generated:\n%s", some(different))
	}
}

// TestKeysNeverChange adds the versions of Kusto in several orders. In each order existing keys
// stay, and the API types become the same as if all versions were added at once.
func TestKeysNeverChange(t *testing.T) {
	tier.Long(t, "generates several times from a published schema")
	schemas := copied(t, "Microsoft.Kusto")
	once := project(t, "once", corpus.Project{Schemas: schemas, Include: corpus.Of("Microsoft.Kusto")})
	generate(t, once)
	wanted := tree(t, once.Output()).Only(isTypes)
	versions := versionsOf(t, once)
	for _, order := range []struct {
		name     string
		versions []string
	}{
		{"oldest first", versions},
		{"newest first", reversed(versions)},
		{"shuffled", shuffled(versions, 1)},
	} {
		t.Run(order.name, func(t *testing.T) {
			t.Parallel()
			name := strings.ReplaceAll(order.name, " ", "-")
			p := corpus.Project{Schemas: schemas, Include: corpus.Of("Microsoft.Kusto")}
			before := map[string][]string{}
			var grown corpus.Project
			for _, version := range order.versions {
				p.Only = append(p.Only, "="+version)
				grown = project(t, name, p)
				generate(t, grown)
				after := keys(t, grown)
				checkKeys(t, version, before, after)
				checkMeanings(t, version, after)
				before = after
			}
			if n := len(before["cluster.txt"]); n < 20 {
				t.Errorf("clusters have %d keys, too few to prove anything", n)
			}
			types := tree(t, grown.Output()).Only(isTypes)
			if different := wanted.Differences(types); len(different) > 0 {
				t.Errorf("API types depend on the order of arrival:\n%s", some(different))
			}
		})
	}
}

func isTypes(path string) bool { return strings.HasSuffix(path, "_types.go") }

// versionsOf lists the versions of a project from the oldest to the newest.
func versionsOf(t *testing.T, p corpus.Project) []string {
	t.Helper()
	var versions []string
	for _, row := range manifest(t, p.Output()).Resources {
		versions = append(versions, row.Source.Version)
	}
	slices.Sort(versions)
	return slices.Compact(versions)
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

func shuffled(list []string, seed uint64) []string {
	list = slices.Clone(list)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// keys returns the lines of the ledger that give keys, by file.
func keys(t *testing.T, p corpus.Project) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.Output(), "ledger", "*", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no ledger: %v", err)
	}
	lines := map[string][]string{}
	for _, file := range files {
		for line := range strings.Lines(string(read(t, file))) {
			if strings.HasPrefix(line, "key ") {
				lines[filepath.Base(file)] = append(lines[filepath.Base(file)], line)
			}
		}
	}
	return lines
}

// checkKeys requires that the ledger still has its earlier entries, in the same order.
func checkKeys(t *testing.T, arrived string, before, after map[string][]string) {
	t.Helper()
	for file, lines := range before {
		rest := after[file]
		for _, line := range lines {
			i := slices.Index(rest, line)
			if i < 0 {
				t.Errorf("the arrival of %s changed, moved or removed in %s the line\n%s", arrived, file, line)
				continue
			}
			rest = rest[i+1:]
		}
	}
}

// checkMeanings requires that a key means one property at its path, and that the property of a
// version has one key.
func checkMeanings(t *testing.T, arrived string, after map[string][]string) {
	t.Helper()
	for file, lines := range after {
		known := map[string]string{}
		for _, line := range lines {
			cells := strings.SplitN(strings.TrimSpace(line)+" ", " ", 5)
			version, key, property, path := cells[1], cells[2], cells[3], cells[4]
			for name, means := range map[string]string{
				"key " + key + " in " + path:                              property,
				"property " + property + " of " + version + " in " + path: key,
			} {
				if known[name] != "" && known[name] != means {
					t.Fatalf("after the arrival of %s, %s has for %s both %s and %s", arrived, file, name, known[name], means)
				}
				known[name] = means
			}
		}
	}
}
