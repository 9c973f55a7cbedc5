package older_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/analysis/older"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// TestFindKeysAndLimitsOfEnums finds lists whose elements have a key now, and limits that a value
// of an older enum exceeds. It finds no limits that all values of the enum meet.
func TestFindKeysAndLimitsOfEnums(t *testing.T) {
	resources, err := model.Parse("model", []byte(`
resource example.com/pools
  kind Pool pools
  group example.com
  version v1
    source crd pools.yaml pools
    spec &PoolSpec
    def PoolSpec object
      .names list string
      .mode enum string("a", "long")
      .kind enum string("a", "b")
  version v2
    source crd pools.yaml pools
    spec &PoolSpec
    def PoolSpec object
      .names list[x-kubernetes-list-type="set"] string
      .mode string(maxLength=3)
      .kind string(maxLength=3)
`))
	if err != nil {
		t.Fatal(err)
	}
	c, problems := chain.Link(t.Context(), resources, chain.Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	o := older.Options{About: func(string) bool { return true }, Made: func(_, _, _, _ string) bool { return false }}
	var got []string
	for _, f := range older.Find(t.Context(), c, o) {
		got = append(got, fmt.Sprintf("%s: %s: %s", f.Path, f.What, f.Text))
	}
	want := []string{"names: limit: no two elements with one key", "mode: limit: at most 3 characters"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
