package integers_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/e2e/integers"
)

func TestRestore(t *testing.T) {
	got := integers.Restore(map[string]any{"a": 1.0, "b": []any{2.5, -3.0, "4", nil, true}, "c": map[string]any{"d": 1e20}})
	want := map[string]any{"a": int64(1), "b": []any{2.5, int64(-3), "4", nil, true}, "c": map[string]any{"d": 1e20}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
