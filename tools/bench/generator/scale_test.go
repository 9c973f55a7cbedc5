package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

// copies are how many times over the schemas are generated, each time under other names. Ten copies
// have 26,000 resource versions in 260 MB, and the public schemas 14,300 in 264 MB.
var copies = []int{1, 2, 4, 8, 10}

// BenchmarkScale generates the schemas several times over: into an empty folder, once more with
// nothing changed, and one kind of all. Time and memory should grow with the number of copies, and
// those of one kind should not.
func BenchmarkScale(b *testing.B) {
	for _, n := range copies {
		b.Run(fmt.Sprintf("%dx", n), func(b *testing.B) {
			p := copied(b, n)
			b.Run("First", func(b *testing.B) {
				var c costs
				for b.Loop() {
					b.StopTimer()
					moveAway(b, p)
					b.StartTimer()
					c.add(generate(b, p).Cost)
				}
				c.report(b)
				b.ReportMetric(c.cpu/float64(c.runs*n), "cpu-s/copy")
			})
			b.Run("Unchanged", func(b *testing.B) { repeated(b, p, func(r corpus.Report) bool { return r.Summary.UpToDate }) })
			b.Run("OneKind", func(b *testing.B) {
				one := func(r corpus.Report) bool { return r.Summary.Resources < 10 && len(r.Changes) == 0 }
				repeated(b, p, one, "--only", "Microsoft.KeyVault/vaults")
			})
		})
	}
}

// young is how old files must be at least until a run records their states. See ADR 0111.
const young = 3 * time.Second

// repeated runs the generator on a project that is generated already.
func repeated(b *testing.B, p corpus.Project, isExpected func(corpus.Report) bool, flags ...string) {
	b.Helper()
	time.Sleep(young)
	if _, err := labtest.WithSchemas(b).Generate(b.Context(), p); err != nil { // records states
		b.Fatal(err)
	}
	var c costs
	for b.Loop() {
		report, err := labtest.WithSchemas(b).Generate(b.Context(), p, flags...)
		if err != nil {
			b.Fatal(err)
		}
		if c.add(report.Cost); !isExpected(report) {
			b.Fatalf("the run did something else: %+v, %d changes", report.Summary, len(report.Changes))
		}
	}
	c.report(b)
}

// moveAway moves what was generated out of the way, and removes what was recorded about it. File
// systems take time to find free inodes where many files were removed a minute ago.
func moveAway(b *testing.B, p corpus.Project) {
	b.Helper()
	away, err := os.MkdirTemp(p.Dir, "away-")
	if err == nil {
		err = os.Rename(p.Output(), filepath.Join(away, "api"))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.Fatal(err)
	}
	empty(b, p)
}

// empty removes what was generated, and what was recorded about it.
func empty(b *testing.B, p corpus.Project) {
	b.Helper()
	for _, folder := range []string{p.Output(), filepath.Join(p.Dir, "cache")} {
		if err := os.RemoveAll(folder); err != nil {
			b.Fatal(err)
		}
	}
}

// copied returns a project of the schemas, several times over.
func copied(b *testing.B, n int) corpus.Project {
	b.Helper()
	l := labtest.WithSchemas(b)
	root := filepath.Join(b.TempDir(), "schemas")
	names, err := providerNames(l.Schemas())
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		if err := copySchemas(l.Schemas(), root, names, i); err != nil {
			b.Fatal(err)
		}
	}
	p, err := l.Project(fmt.Sprintf("scale%d", n), corpus.Project{Schemas: root, Include: corpus.Of()})
	if err != nil {
		b.Fatal(err)
	}
	empty(b, p)
	b.Cleanup(func() { _ = os.RemoveAll(p.Dir) })
	return p
}

const commonFolder = "common"

// providerNames returns a pattern of the names of the providers in a folder of schemas.
func providerNames(root string) (*regexp.Regexp, error) {
	files, err := filepath.Glob(filepath.Join(root, "*", "*.json"))
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	var names []string
	for _, file := range files {
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), ".")
		rest := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(file), ".json"), name+".")
		provider, _, _ := strings.Cut(rest, ".")
		if name += "." + provider; filepath.Base(filepath.Dir(file)) != commonFolder && !known[name] {
			known[name] = true
			names = append(names, regexp.QuoteMeta(name))
		}
	}
	return regexp.Compile(`(?i)\b(` + strings.Join(names, "|") + `)\b`)
}

// copySchemas copies all schemas. In all copies but the first, the providers have other names.
func copySchemas(from, to string, names *regexp.Regexp, i int) error {
	renamed := func(text []byte) []byte {
		if i == 0 {
			return text
		}
		return names.ReplaceAll(text, fmt.Appendf(nil, "${1}X%d", i))
	}
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil || i > 0 && strings.HasPrefix(filepath.ToSlash(below), commonFolder+"/") {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file := filepath.Join(to, string(renamed([]byte(below))))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, renamed(body), 0o644)
	})
}
