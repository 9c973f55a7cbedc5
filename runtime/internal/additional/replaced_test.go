package additional

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseReplaced(t *testing.T) {
	keyY := Furthers{{Name: "y", Key: "y"}}
	for _, test := range []struct {
		text string
		want replaced
	}{
		{"", replaced{}},
		{"*", replaced{all: true}},
		{`*,!lid,"a b"("a b",x@v3),y(y)`, replaced{all: true, foreign: map[string]bool{"lid": true}, keys: map[string]Furthers{
			"a b": {{Name: "a b", Key: "a b"}, {Name: "a b", Key: "x@v3"}}, "y": keyY}}},
		{`y(y?lo"a,\"b c\"",y@v3?i)`, replaced{keys: map[string]Furthers{
			"y": {{Name: "y", Key: "y", Kind: "lo", Free: `a,"b c"`}, {Name: "y", Key: "y@v3", Kind: "i"}}}}},
		{"y(y),(", replaced{keys: map[string]Furthers{"y": keyY}}},
		{"y(y,", replaced{keys: map[string]Furthers{"y": keyY}}},
		{"y(y),z", replaced{keys: map[string]Furthers{"y": keyY}}},
		{"!(", replaced{}},
	} {
		if test.want.keys == nil {
			test.want.keys = map[string]Furthers{}
		}
		if test.want.foreign == nil {
			test.want.foreign = map[string]bool{}
		}
		if diff := cmp.Diff(test.want, *parseReplaced(test.text), cmp.AllowUnexported(replaced{})); diff != "" {
			t.Errorf("%s: %s", test.text, diff)
		}
	}
}
