package additional

import (
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime"
)

// heapOfAByte is the largest allocation of merging for each byte of the former and the written
// value.
const heapOfAByte = 16

// TestMergingAllocatesLittle counts all allocations of merging.
func TestMergingAllocatesLittle(t *testing.T) {
	const n = 3000
	each := func(of func(i int) string) string {
		out := make([]string, n)
		for i := range out {
			out[i] = of(i)
		}
		return strings.Join(out, ",")
	}
	const hidden = `"$propertyBag":{"x@v1":1}`
	for _, test := range []struct{ reason, kind, written, was string }{
		{"small members", "o", `{` + each(func(i int) string { return fmt.Sprintf(`"m%d":1`, i) }) + `,"e":2}`,
			`{` + each(func(i int) string { return fmt.Sprintf(`"m%d":1`, i) }) + `,"e":1,` + hidden + `}`},
		{"small objects in an object", "o", `{` + each(func(i int) string { return fmt.Sprintf(`"m%d":{"a":2}`, i) }) + `}`,
			`{` + each(func(i int) string { return fmt.Sprintf(`"m%d":{"a":1,%s}`, i, hidden) }) + `}`},
		{"empty objects in a map", "mo", `{` + each(func(i int) string { return fmt.Sprintf(`"m%d":{}`, i) }) + `,"e":{}}`,
			`{` + each(func(i int) string { return fmt.Sprintf(`"m%d":{%s}`, i, hidden) }) + `}`},
		{"empty objects in a list", "lo", `[{"a":1},` + each(func(i int) string { return `{}` }) + `]`,
			`[` + each(func(i int) string { return `{}` }) + `,{` + hidden + `}]`},
		{"small objects in a list", "lo", `[` + each(func(i int) string { return fmt.Sprintf(`{"a":%d}`, i+1) }) + `]`,
			`[` + each(func(i int) string { return fmt.Sprintf(`{"a":%d,%s}`, i, hidden) }) + `]`},
		{"elements with names", "lo", `[` + each(func(i int) string { return fmt.Sprintf(`{"name":"%d","a":1}`, i) }) + `]`,
			`[` + each(func(i int) string { return fmt.Sprintf(`{"name":"%d","a":2,%s}`, i, hidden) }) + `]`},
		{"numbers in lists", "o", `{"a":[[` + each(func(i int) string { return `1` }) + `],2]}`,
			`{"a":[[` + each(func(i int) string { return `1` }) + `],1],` + hidden + `}`},
		{"objects in each other", "o", strings.Repeat(`{"a":`, n) + `2` + strings.Repeat(`}`, n),
			strings.Repeat(`{"a":`, n) + `1` + strings.Repeat(`,`+hidden+`}`, n)},
		{"lists in each other", "lo", strings.Repeat(`[{"name":"n","a":`, n) + `2` + strings.Repeat(`}]`, n),
			strings.Repeat(`[{"name":"n","a":`, n) + `1` + strings.Repeat(`,`+hidden+`}]`, n)},
		{"entries of a bag", "o", `{"e":2}`, `{"e":1,"$propertyBag":{` + each(func(i int) string { return fmt.Sprintf(`"m%d@v1":1`, i) }) + `}}`},
		{"members of a bag", "o", `{"e":2,` + each(func(i int) string { return fmt.Sprintf(`"m%d":1`, i) }) + `}`,
			`{"e":1,"$propertyBag":{"x@v1":1,` + each(func(i int) string { return fmt.Sprintf(`"m%d":1`, i) }) + `}}`},
	} {
		f := Further{Kind: test.kind}
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		kept := f.merged(runtime.JSON(test.written), runtime.JSON(test.was))
		goruntime.ReadMemStats(&after)
		if !strings.Contains(string(kept), "@v1") {
			t.Errorf("%s: nothing is kept: %.100s", test.reason, kept)
		}
		size := len(test.written) + len(test.was)
		if a := float64(after.TotalAlloc-before.TotalAlloc) / float64(size); a > heapOfAByte {
			t.Errorf("%s: %.1f bytes are allocated for each of %d", test.reason, a, size)
		}
	}
}
