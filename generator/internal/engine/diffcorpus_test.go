package engine_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/cputime"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/progress"
)

// TestDiffOfCorpora compares releases of real CRDs in both directions, and each with itself. What
// is new in one direction has gone in the other.
func TestDiffOfCorpora(t *testing.T) {
	root := filepath.Dir(corpus(t))
	old, later := filepath.Join(root, "crds-releases", "cluster-api-v1.0.0"), filepath.Join(root, "crds", "cluster-api-v1.4.0")
	there, back := kindsOf(t, old, later), kindsOf(t, later, old)
	if n := sum(there, allKinds()...); n < 100 {
		t.Errorf("two releases differ in %d changes only: the test compares too little", n)
	}
	for _, law := range mirrored {
		for _, sides := range [][2]map[diff.Kind]int{{there, back}, {back, there}} {
			if a, b := sum(sides[0], law.kinds...), sum(sides[1], law.mirror...); a != b {
				t.Errorf("%d changes of %v, and %d of %v in the other direction", a, law.kinds, b, law.mirror)
			}
		}
	}
	folders, err := filepath.Glob(filepath.Join(root, "crds*", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatal(folders, err)
	}
	for _, folder := range folders {
		if same := kindsOf(t, folder, folder); len(same) > 0 {
			t.Errorf("%s differs from itself: %v", filepath.Base(folder), same)
		}
	}
}

// law is what a change of kinds is called in the other direction.
type law struct{ kinds, mirror []diff.Kind }

func of(kinds ...diff.Kind) []diff.Kind { return kinds }

// mirrored are the laws. A change of a limit can be narrower in both directions, as that of a
// pattern.
var mirrored = []law{
	{of(diff.ResourceAdded), of(diff.ResourceRemoved)}, {of(diff.VersionAdded), of(diff.VersionRemoved, diff.StoredVersionRemoved)},
	{of(diff.Added, diff.AddedRequired, diff.Opened), of(diff.Removed, diff.Closed)}, {of(diff.Renamed), of(diff.Renamed)},
	{of(diff.Retyped), of(diff.Retyped)}, {of(diff.Required), of(diff.Optional)}, {of(diff.ValuesAdded), of(diff.ValuesRemoved)},
	{of(diff.Narrowed, diff.Widened), of(diff.Narrowed, diff.Widened)}, {of(diff.RuleAdded), of(diff.RuleRemoved)},
	{of(diff.DefaultAdded), of(diff.DefaultRemoved)}, {of(diff.DefaultChanged), of(diff.DefaultChanged)}, {of(diff.Nullable), of(diff.NotNullable)},
	{of(diff.ListType), of(diff.ListType)}, {of(diff.ListKeys), of(diff.ListKeys)}, {of(diff.IntegerNarrow, diff.IntegerWide), of(diff.IntegerNarrow, diff.IntegerWide)},
	{of(diff.Described), of(diff.Described)}, {of(diff.Scope), of(diff.Scope)}, {of(diff.Names), of(diff.Names)}, {of(diff.StorageVersion), of(diff.StorageVersion)},
	{of(diff.ShortNameAdded), of(diff.ShortNameRemoved)}, {of(diff.SubresourceAdded), of(diff.SubresourceRemoved)}, {of(diff.Columns), of(diff.Columns)},
	{of(diff.SelectableAdded), of(diff.SelectableRemoved)}, {of(diff.Unserved), of(diff.ServedAgain)},
	{of(diff.VersionDeprecated, diff.VersionSupported), of(diff.VersionDeprecated, diff.VersionSupported)},
	{of(diff.Deprecated, diff.Supported), of(diff.Deprecated, diff.Supported)},
}

func allKinds() (all []diff.Kind) {
	for _, l := range mirrored {
		all = append(all, l.kinds...)
	}
	return all
}

func sum(counts map[diff.Kind]int, kinds ...diff.Kind) (n int) {
	for _, k := range kinds {
		n += counts[k]
	}
	return n
}

// kindsOf counts the changes between two folders by kind. Of a new version it counts that it is
// new, and not how it differs from the one before it: the other direction does not compare them.
func kindsOf(t testing.TB, old, later string) map[diff.Kind]int {
	t.Helper()
	messages := new(diag.List)
	result, err := engine.Engine{}.Diff(t.Context(), engine.DiffRequest{
		Request: engine.Request{Messages: messages, Sources: diag.NewSources(nil), Progress: progress.New(io.Discard, false)},
		Old:     old, New: later, Docs: true,
	})
	if err != nil {
		t.Fatalf("%v\n%v", err, messages)
	}
	out := map[diff.Kind]int{}
	for _, c := range result.Comparisons {
		for _, one := range c.Changes {
			if one.Kind.Rule().ID == "" || one.Kind == diff.StoredVersionRemoved && one.Severity != finding.StoredData {
				t.Errorf("%s: a change without a rule, or beside it: %+v", c.Resource, one)
			}
			if c.From == c.To || one.Path == "" && (c.From == "" || c.To == "" || one.Kind == diff.VersionAdded) {
				out[one.Kind]++
			}
		}
	}
	return out
}

// BenchmarkDiff compares two trees of at least 1,000 CRDs that differ: copies of real ones.
func BenchmarkDiff(b *testing.B) {
	root := filepath.Dir(corpus(b))
	dir := b.TempDir()
	n := 0
	for i := 0; n < 1000; i++ {
		n = copyCRDs(b, dir, root, i)
	}
	b.ReportAllocs()
	start := cputime.Used()
	for b.Loop() {
		if found := kindsOf(b, filepath.Join(dir, "old"), filepath.Join(dir, "new")); len(found) == 0 {
			b.Fatal("the trees do not differ")
		}
	}
	b.ReportMetric((cputime.Used()-start).Seconds()/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(n), "CRDs")
}

var groupOf = regexp.MustCompile(`(?m)^  group: ['"]?([a-z0-9.-]+)`)

// copyCRDs adds the i-th copy of all CRDs of the corpora to two trees, each in a group of its own.
// It returns how many the later tree has.
func copyCRDs(b *testing.B, dir, root string, i int) (n int) {
	b.Helper()
	for tree, folders := range map[string][]string{
		"old": {"crds-releases/cluster-api-v1.0.0", "crds/cert-manager-v1.21.2", "crds/knative-serving-v0.51.0"},
		"new": {"crds/cluster-api-v1.4.0", "crds/cert-manager-v1.21.2", "crds/knative-serving-v0.51.0"},
	} {
		count := 0
		for _, folder := range folders {
			files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder)))
			if err != nil || len(files) == 0 {
				b.Fatal(folder, err)
			}
			err = filepath.WalkDir(files[0], func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || !strings.HasSuffix(path, ".yaml") {
					return err
				}
				body, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				text := string(body)
				groups := map[string]bool{}
				for _, match := range groupOf.FindAllStringSubmatch(text, -1) {
					groups[match[1]] = true
					count++
				}
				for group := range groups {
					text = strings.ReplaceAll(text, group, fmt.Sprintf("c%d.%s", i, group))
				}
				write(b, dir, fmt.Sprintf("%s/%d/%x.yaml", tree, i, sha256.Sum256([]byte(path))), text)
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		if tree == "new" {
			n = count * (i + 1)
		}
	}
	return n
}
