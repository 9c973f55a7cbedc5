package genruntime_test

import (
	"fmt"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/additional"
	"github.com/stratakube/strata/runtime/internal/linear"
)

// movingMembers moves n additional members of an open object into a property bag and out of it
// again.
var movingMembers = []struct {
	name string
	work func(t testing.TB, n int)
}{
	{"through a closed type", func(t testing.TB, n int) {
		closed := closedBox{PropertyBag: genruntime.Lower(manyBoxes(n), boxFurthers)}
		genruntime.Raise(&closed, boxFurthers)
		back := openBox{PropertyBag: genruntime.Lower(&closed, boxFurthers)}
		genruntime.Raise(&back, boxFurthers)
		checkMembers(t, &back, n)
	}},
	{"through an open type that names one", func(t testing.TB, n int) {
		both := openedBox{PropertyBag: genruntime.Lower(manyBoxes(n), boxFurthers)}
		genruntime.Recall(&both.PropertyBag, "danger", &both.Danger)
		genruntime.Raise(&both, boxFurthers)
		back := openBox{PropertyBag: genruntime.Lower(&both, boxFurthers)}
		genruntime.Stash(&back.PropertyBag, "danger", both.Danger)
		genruntime.Raise(&back, boxFurthers)
		checkMembers(t, &back, n)
	}},
	{"through a type whose members are objects", func(t testing.TB, n int) {
		typed := openToTyped(manyBoxes(n))
		back := openFromTyped(&typed)
		checkMembers(t, &back, n)
	}},
	{"whose covers are many", func(t testing.TB, n int) {
		known := make(genruntime.Furthers, 0, 2*n)
		src := closedBox{PropertyBag: runtime.PropertyBag{}}
		for i := range n {
			name := fmt.Sprintf("m%07d", i)
			known = append(known, additional.Further{Name: name, Key: name, Kind: "i"}, additional.Further{Name: name, Key: name + "@v2", Kind: "s"})
			src.PropertyBag[name], src.PropertyBag[name+"@v2"] = runtime.JSON("1"), runtime.JSON(`"two"`)
		}
		visible := openBox{PropertyBag: genruntime.Lower(&src, known)}
		genruntime.Raise(&visible, known)
		checkMembers(t, &visible, n)
		if back := genruntime.Lower(&visible, known); len(back) != 2*n {
			t.Fatalf("%d entries came back of %d", len(back), 2*n)
		}
	}},
}

// openedBox names one member, and is open.
type openedBox struct {
	Danger               *bool                   `json:"danger,omitzero"`
	AdditionalProperties map[string]runtime.JSON `json:"-"`
	PropertyBag          runtime.PropertyBag     `json:"$propertyBag,omitzero"`
}

func manyBoxes(n int) *openBox {
	src := &openBox{AdditionalProperties: make(map[string]runtime.JSON, n)}
	for i := range n {
		src.AdditionalProperties[fmt.Sprintf("m%d", i)] = runtime.JSON(fmt.Sprintf(`{"size":%d}`, i))
	}
	return src
}

func checkMembers(t testing.TB, box *openBox, n int) {
	t.Helper()
	if got := len(box.AdditionalProperties); got != n {
		t.Fatalf("%d members came back of %d", got, n)
	}
}

// TestTimeIsLinearInAdditionalMembers takes thousands of them. [BenchmarkAdditionalMembers]
// takes more.
func TestTimeIsLinearInAdditionalMembers(t *testing.T) {
	for _, test := range movingMembers {
		t.Run(test.name, func(t *testing.T) {
			linear.Check(t, func(n int) { test.work(t, n) }, 3_000)
		})
	}
}
