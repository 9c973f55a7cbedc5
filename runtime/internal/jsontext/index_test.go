package jsontext

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime"
)

// TestIndex finds members by their own names, and by other ones.
func TestIndex(t *testing.T) {
	const object = `{"b":1, "a" : [2], "\u0063":3, "b":4, "xd":5}`
	own := IndexOf(runtime.JSON(object), nil, nil)
	short := IndexOf(runtime.JSON(object), nil, func(name []byte) (string, bool) {
		return strings.TrimPrefix(string(name), "x"), string(name) != "a"
	})
	for _, test := range []struct {
		x           *Index
		name, value string
	}{
		{&own, "a", "[2]"}, {&own, "b", "1"}, {&own, "c", "3"}, {&own, "xd", "5"}, {&own, "d", ""}, {&own, "", ""},
		{&short, "a", ""}, {&short, "b", "1"}, {&short, "d", "5"}, {&short, "xd", ""},
	} {
		if _, value := test.x.Member(test.x.Find(test.name)); string(value) != test.value {
			t.Errorf("%q of %d members is %q, want %q", test.name, test.x.Len(), value, test.value)
		}
	}
	if own.Len() != 5 || short.Len() != 4 {
		t.Errorf("%d and %d members", own.Len(), short.Len())
	}
	for _, none := range []string{"", "[1]", "null", "{}"} {
		if x := IndexOf(runtime.JSON(none), nil, nil); x.Len() > 0 || x.Has("a") {
			t.Errorf("%s has members", none)
		}
	}
}
