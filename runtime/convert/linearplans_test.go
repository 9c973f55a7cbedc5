package convert

import (
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/runtime/internal/linear"
)

// growingInPlans are specs of stored gadgets that hide values at many levels, and that plans
// convert. Their length is in proportion to n.
var growingInPlans = []growingSpec{
	{"a value hidden at each level", func(n int) string {
		return nestOfParts(7, `{"$propertyBag":{"x":1},`, linear.Members(n, func(i int) string { return fmt.Sprintf(`{"weight":%d}`, i) }))
	}},
	{"lists beside each other that hide a value at each level", func(n int) string {
		one := strings.Repeat(`{"$propertyBag":{"x":1},"parts":[`, 7) + `{}` + strings.Repeat(`]}`, 7)
		return `{"parts":[` + linear.Members(n/7, func(int) string { return one }) + `]}`
	}},
	{"lists in lists that hide a value at the bottom", func(n int) string {
		return nestOfParts(n/8, "{", `{"$propertyBag":{"x":1}}`)
	}},
	{"lists in lists that hide a value at each level", func(n int) string {
		return nestOfParts(n/8, `{"$propertyBag":{"x":1},"weight":1,`, `{"weight":2}`)
	}},
	{"lists in objects in lists that hide a value at each level", func(n int) string {
		return nestOfParts(n/8, `{"$propertyBag":{"x":1},"inner":{"$propertyBag":{"x":1}},`, `{}`)
	}},
	{"objects in objects that hide a value at each level", func(n int) string {
		return `{"main":` + strings.Repeat(`{"$propertyBag":{"x":1},"inner":`, n/4) + `{}` + strings.Repeat(`}`, n/4) + `}`
	}},
}

// nestOfParts is a spec with elements in lists of parts, so many levels deep, each of which begins
// with the given text.
func nestOfParts(levels int, begin, elements string) string {
	return `{"parts":[` + strings.Repeat(begin+`"parts":[`, levels) + elements + strings.Repeat(`]}`, levels) + `]}`
}

// TestTimeOfPlansIsLinear converts objects that grow down and up by plans. It leaves out shapes
// that plans refuse, and expects that enough remain.
func TestTimeOfPlansIsLinear(t *testing.T) {
	up, down := gadgetWays(t)
	converted := 0
	for _, test := range append(append(growing[:len(growing):len(growing)], growingHidden...), growingInPlans...) {
		t.Run(test.name, func(t *testing.T) {
			const n = 1500
			convert := func(n int) Refusal {
				visible, why := down.Append(t.Context(), nil, []byte(gadgetHubHead+`,"spec":`+test.spec(n)+`}`))
				if why == Converted {
					_, why = up.Append(t.Context(), nil, visible)
				}
				return why
			}
			if why := max(convert(n), convert(4*n)); why != Converted {
				t.Logf("plans refuse it: %s", why)
				return
			}
			converted++
			linear.Check(t, func(n int) { convert(n) }, n)
		})
	}
	if converted < 5 {
		t.Errorf("plans convert %d of the shapes", converted)
	}
}

// TestPlansBoundTimeOfDeepObjects compares objects of many levels, which hide a value at the
// bottom, with the same elements in one list. Eight lists within each other have leaves, each of
// them those of all within.
func TestPlansBoundTimeOfDeepObjects(t *testing.T) {
	_, down := gadgetWays(t)
	goruntime.LockOSThread() // whose time is measured
	defer goruntime.UnlockOSThread()
	elements := linear.Members(10_000, func(i int) string { return fmt.Sprintf(`{"weight":%d}`, i) }) + `,{"$propertyBag":{"x":1}}`
	least := func(levels int) time.Duration {
		object := []byte(gadgetHubHead + `,"spec":` + nestOfParts(levels, "{", elements) + `}`)
		best := time.Duration(1 << 62)
		for range 3 {
			began := linear.ProcessorTime()
			if _, ok := tryAppend(down, nil, object); !ok {
				t.Fatalf("the plan refuses %d levels", levels)
			}
			best = min(best, linear.ProcessorTime()-began)
		}
		return best
	}
	flat := least(0)
	for _, levels := range []int{4, 16, 64, 1000, 4000} {
		const tooMany = 12
		times := float64(least(levels)) / float64(flat)
		t.Logf("%d levels take %.1f times as long as a list", levels, times)
		if times > tooMany {
			t.Errorf("%d levels take %.1f times as long as a list", levels, times)
		}
	}
}
