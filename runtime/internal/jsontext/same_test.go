package jsontext

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/linear"
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
		{runtime.JSON(`{"c":[{"a":1,"b":"x"}],"d":{}}`), runtime.JSON(`{"d":{},"c":[{"b":"\u0078","a":1.0}]}`), true},
		{runtime.JSON(`{"c":[{"a":1,"b":"x"}],"d":{}}`), runtime.JSON(`{"d":{},"c":[{"b":"y","a":1}]}`), false},
		{runtime.JSON(`{"a":1,"b":2}`), runtime.JSON(`{"b":2,"c":1}`), false},
		{runtime.JSON(`{"a":1,"\u0062":2}`), runtime.JSON(`{"b":2,"a":1}`), true},
		{runtime.JSON(`{"a":1,"b":2,"a":3}`), runtime.JSON(`{"b":2,"a":1,"a":3}`), true},
		{runtime.JSON(`{"a":1,"b":2,"a":3}`), runtime.JSON(`{"b":2,"a":3,"a":1}`), false},
		{runtime.JSON(`{"a":{"b":1,"c":2},"d":[3]}`), runtime.JSON(`{"a":{"c":2,"b":1},"d":[4]}`), false},
		{runtime.JSON(`[{"a":1,"b":2},3]`), runtime.JSON(`[{"b":2,"a":1},4]`), false},
		{runtime.JSON(`[1,2]`), runtime.JSON(`[1]`), false},
		{runtime.JSON(`[1]`), runtime.JSON(`[1,2]`), false},
		{runtime.JSON(`{}`), runtime.JSON(`[]`), false},
		{runtime.JSON(`{"a":true}`), runtime.JSON(`{"a":false}`), false},
		{runtime.JSON(`{"a":true}`), runtime.JSON(`{"a": true}`), true},
		{runtime.JSON(`"1"`), runtime.JSON(`1`), false},
		{runtime.JSON(``), nil, true},
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

// TestTimeToCompareIsLinear compares nested objects whose members have another order.
func TestTimeToCompareIsLinear(t *testing.T) {
	linear.Check(t, func(n int) {
		a := strings.Repeat(`{"a":1,"b":`, n) + `2` + strings.Repeat(`}`, n)
		b := strings.Repeat(`{"b":`, n) + `2` + strings.Repeat(`,"a":1}`, n)
		if !IsSame(runtime.JSON(a), runtime.JSON(b)) {
			t.Errorf("%d objects in each other are not the same in another order", n)
		}
	}, 500)
}
