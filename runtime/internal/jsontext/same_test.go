package jsontext

import (
	"testing"

	"github.com/stratakube/strata/runtime"
)

func TestSameJSON(t *testing.T) {
	for _, test := range []struct {
		a, b runtime.JSON
		want bool
	}{
		{nil, nil, true},
		{nil, runtime.JSON(`null`), false},
		{runtime.JSON(`1`), nil, false},
		{runtime.JSON(`1`), runtime.JSON(`1.0`), true},
		{runtime.JSON(`{"a":1,"b":2}`), runtime.JSON(`{"b":2, "a":1}`), true},
		{runtime.JSON(`{"a":1}`), runtime.JSON(`{"a":1,"b":2}`), false},
		{runtime.JSON(`{"a":1,"b":2}`), runtime.JSON(`{"a":1}`), false},
		{runtime.JSON(`{`), runtime.JSON(`1`), false},
		{runtime.JSON(`1`), runtime.JSON(`1e400`), false},
		{runtime.JSON(`1e400`), runtime.JSON(`1`), false},
		{runtime.JSON(`1e400`), runtime.JSON(`1e401`), false},
		{runtime.JSON(`9007199254740992`), runtime.JSON(`9007199254740993`), false},
		{runtime.JSON(`{"a":null}`), runtime.JSON(`{}`), false},
		{runtime.JSON(`[null]`), runtime.JSON(`[]`), false},
		{runtime.JSON(`1`), runtime.JSON(`{`), false},
		{runtime.JSON(`{`), runtime.JSON(`[`), false},
	} {
		if got := IsSame(test.a, test.b); got != test.want {
			t.Errorf("%s and %s are the same: %t", test.a, test.b, got)
		}
	}
}
