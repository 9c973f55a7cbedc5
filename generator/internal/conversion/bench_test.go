package conversion_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/generator/internal/conversion"
	"github.com/stratakube/strata/generator/internal/cputime"
	"github.com/stratakube/strata/generator/internal/diag"
)

// documents returns a file with many objects, or one list of them.
func documents(n int, isList bool) string {
	var b strings.Builder
	if isList {
		b.WriteString("apiVersion: v1\nkind: List\nitems:\n")
	}
	for i := range n {
		text := fmt.Sprintf(`# Store %d.
apiVersion: shop.example.com/v1 # from the first release
kind: Store
metadata:
  name: store-%[1]d
  labels: {app: shop, number: "%[1]d"}
  annotations:
    example.com/owner: "somebody"
spec:
  # how large it is
  size: %[1]d # in square metres
`, i)
		if isList {
			text = "- " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
		} else {
			text = "---\n" + text
		}
		b.WriteString(text)
	}
	return b.String()
}

// BenchmarkConvert converts 10,000 objects in one file.
func BenchmarkConvert(b *testing.B) {
	for name, isList := range map[string]bool{"documents": false, "list": true} {
		b.Run(name, func(b *testing.B) {
			plans, text := plansOf(b, "shop.json"), documents(10_000, isList)
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			start := cputime.Used()
			for b.Loop() {
				if r := plans.Convert(b.Context(), conversion.File{Name: "a.yaml", Text: text}, conversion.Options{To: "v2"}); r.Failed() || r.Converted() != 10_000 {
					b.Fatalf("%d objects, %v", r.Converted(), r.Messages[:1])
				}
			}
			b.ReportMetric((cputime.Used()-start).Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

// TestConvertIsLinear checks that four times as many objects take no more than some four times as
// long, as documents and as elements of a list.
func TestConvertIsLinear(t *testing.T) {
	const n, tries, tooSteep = 1000, 3, 8
	plans := plansOf(t, "shop.json")
	took := func(n int, isList bool) time.Duration {
		text := documents(n, isList)
		start := cputime.Used()
		if r := plans.Convert(t.Context(), conversion.File{Name: "a.yaml", Text: text}, conversion.Options{To: "v2"}); r.Failed() || r.Converted() != n {
			t.Fatalf("%d objects of %d, %v", r.Converted(), n, r.Messages)
		}
		return cputime.Used() - start
	}
	for _, isList := range []bool{false, true} {
		for try := 1; ; try++ {
			few, many := took(n, isList), took(4*n, isList)
			ratio := many.Seconds() / few.Seconds()
			t.Logf("list %t: %d take %s, %d take %s", isList, n, few, 4*n, many)
			if ratio < tooSteep {
				break
			}
			if try == tries {
				t.Fatalf("four times as many take %.1f times as long", ratio)
			}
		}
	}
}

// TestConvertAtOnce checks that the documents of a file have their objects, messages and text in
// order, however many convert at once.
func TestConvertAtOnce(t *testing.T) {
	plans := plansOf(t, "shop.json")
	const n = 200
	text := documents(n, false)
	r := plans.Convert(t.Context(), conversion.File{Name: "a.yaml", Text: text}, conversion.Options{To: "v2"})
	var want strings.Builder
	for _, document := range strings.SplitAfter(text, "metres\n") {
		want.WriteString(plans.Convert(t.Context(), conversion.File{Name: "a.yaml", Text: document}, conversion.Options{To: "v2"}).After)
	}
	if r.After != want.String() || strings.Count(r.After, "example.com/v2") != n {
		t.Errorf("%.600s\nwant\n%.600s", r.After, want.String())
	}
	for i, o := range r.Objects {
		if o.Name != fmt.Sprintf("store-%d", i) {
			t.Fatalf("object %d is %s", i, o.Name)
		}
	}
	bad := plans.Convert(t.Context(), conversion.File{Name: "a.yaml", Text: strings.ReplaceAll(text, "size:", "sise:")}, conversion.Options{To: "v2"})
	if bad.After != bad.Text || len(bad.Messages) != n || !slices.IsSortedFunc(bad.Messages, func(a, b diag.Message) int { return a.Pos.Offset - b.Pos.Offset }) {
		t.Errorf("%d messages, %v", len(bad.Messages), bad.Messages[:3])
	}
}
