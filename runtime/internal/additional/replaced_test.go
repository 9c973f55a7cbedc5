package additional

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime/internal/notation"
)

func TestReplacedBy(t *testing.T) {
	for _, test := range []struct {
		tag  string
		want replaced
	}{
		{"", replaced{}},
		{"{}", replaced{}},
		{`{"all":true}`, replaced{All: true}},
		{`{"all":true,"foreign":["a b","lid"],"keys":[{"name":"a b","key":"x@v3"},{"name":"y","key":"y"}]}`, replaced{
			All: true, Foreign: []string{"a b", "lid"}, Keys: Furthers{{Name: "a b", Key: "x@v3"}, {Name: "y", Key: "y"}},
		}},
		{`{"keys":[{"name":"y","key":"y","kind":"lo","free":[[{"name":"a","maps":1,"list":2},{"key":"b c"}],[{"kind":"a"}]]}]}`, replaced{
			Keys: Furthers{{Name: "y", Key: "y", Kind: "lo", Free: notation.Lists{{{Name: "a", Maps: 1, List: 2}, {Key: "b c"}}, {{Kind: "a"}}}}},
		}},
		{`{"all":true,"keys":[`, replaced{}},
		{"*,!lid,y(y)", replaced{}},
	} {
		if diff := cmp.Diff(test.want, *replacedBy(test.tag)); diff != "" {
			t.Errorf("%s: %s", test.tag, diff)
		}
	}
}
