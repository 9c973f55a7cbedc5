package operation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/linear"
	"github.com/stratakube/strata/runtime/internal/operation"
)

// TestTimeIsLinear checks each operation with a large value, and with another one before.
func TestTimeIsLinear(t *testing.T) {
	texts := func(n int) string { return "[" + linear.Members(n, func(int) string { return `"a"` }) + "]" }
	named := func(i int) string { return fmt.Sprintf(`{"name":"n%d","x":1}`, i*7919%1_000_003) }
	list := func(n int) string { return "[" + linear.Members(n, named) + "]" }
	entries := func(n int) string {
		return "{" + linear.Members(n, func(i int) string { return fmt.Sprintf(`"n%d":{"x":1}`, i*7919%1_000_003) }) + "}"
	}
	for _, test := range []struct {
		name          string
		of            operation.Operation
		value, before func(n int) string
	}{
		{"rename", operation.Rename("a", "b", "b", "a"), texts, texts},
		{"plural", operation.Plural, texts, texts},
		{"singular", operation.Singular, texts, texts},
		{"wrap", operation.Wrap("x"), texts, entries},
		{"unwrap", operation.Unwrap("x"), entries, texts},
		{"split", operation.Split(","), func(n int) string { return `"` + strings.Repeat("a,", n) + `"` }, texts},
		{"join", operation.Join(","), texts, texts},
		{"key", operation.Key("name"), list, entries},
		{"list", operation.List("name"), entries, list},
	} {
		t.Run(test.name, func(t *testing.T) {
			const n = 10_000
			values := map[int][2]runtime.JSON{}
			for _, size := range []int{n, 4 * n} {
				values[size] = [2]runtime.JSON{runtime.JSON(test.value(size)), runtime.JSON(test.before(size))}
			}
			linear.Check(t, func(n int) {
				x := values[n]
				if out := test.of.Apply(slices.Clone(x[0]), x[1]); out == nil && test.name != "unwrap" {
					t.Error("there is no result")
				}
			}, n)
		})
	}
}
