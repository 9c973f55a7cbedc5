package genruntime

import (
	"fmt"
	"reflect"
	goruntime "runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
)

// manyMembers writes n members or elements, each made by write, behind a comma where it is not the first.
func manyMembers(n int, write func(i int) string) string {
	var out strings.Builder
	for i := range n {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(write(i))
	}
	return out.String()
}

// growing are specs of gadgets whose length is in proportion to n.
var growing = []struct {
	name string
	spec func(n int) string
}{
	{"wrong additional members", func(n int) string {
		return `{"open":{` + manyMembers(n, func(i int) string { return fmt.Sprintf(`"m%d":%d`, i, i) }) + `}}`
	}},
	{"additional members beside a null", func(n int) string {
		return `{"free":{"a":null},"open":{` + manyMembers(n, func(i int) string { return fmt.Sprintf(`"m%d":{}`, i) }) + `}}`
	}},
	{"unknown members beside a null", func(n int) string {
		return `{"size":null,` + manyMembers(n, func(i int) string { return fmt.Sprintf(`"u%d":1`, i) }) + `}`
	}},
	{"null values of a map", func(n int) string {
		return `{"tags":{` + manyMembers(n, func(i int) string { return fmt.Sprintf(`"t%d":null`, i) }) + `}}`
	}},
	{"wrong values of a map", func(n int) string {
		return `{"spares":{` + manyMembers(n, func(i int) string { return fmt.Sprintf(`"s%d":%d`, i, i) }) + `}}`
	}},
	{"wrong members in values of a map", func(n int) string {
		return `{"spares":{` + manyMembers(n, func(i int) string { return fmt.Sprintf(`"s%d":{"color":1}`, i) }) + `}}`
	}},
	{"wrong members in one value of a map", func(n int) string {
		return `{"spares":{"a":{"parts":[` + manyMembers(n, func(i int) string { return `{"color":1}` }) + `]}}}`
	}},
	{"wrong elements", func(n int) string {
		return `{"parts":[` + manyMembers(n, func(i int) string { return "1" }) + `]}`
	}},
	{"every other element is wrong", func(n int) string {
		return `{"parts":[` + manyMembers(n, func(i int) string { return `{},1` }) + `]}`
	}},
	{"wrong elements below a long key", func(n int) string {
		return `{"spares":{"` + strings.Repeat("k", n) + `":{"parts":[` + manyMembers(n, func(i int) string { return `{},1` }) + `]}}}`
	}},
	{"a text in a list of texts", func(n int) string {
		return `{"lines":[` + manyMembers(n, func(i int) string { return `"a"` }) + `,1]}`
	}},
	{"lists of lists", func(n int) string {
		return `{"rows":[` + manyMembers(n, func(i int) string { return `[{},1]` }) + `]}`
	}},
	{"nested objects", func(n int) string {
		depth := n / 4
		return `{"main":` + strings.Repeat(`{"inner":`, depth) + `{"color":1}` + strings.Repeat(`}`, depth) + `}`
	}},
	{"right elements", func(n int) string {
		return `{"parts":[` + manyMembers(n, func(i int) string { return fmt.Sprintf(`{"weight":%d}`, i) }) + `]}`
	}},
}

// thereAndBack takes an object through Go types: to storage, and back to JSON.
func thereAndBack(t testing.TB, data []byte) {
	var g gadget
	if err := Decode(data, &g); err != nil {
		t.Fatal(err)
	}
	stored := storedOf(t, &g)
	if _, err := Encode(stored); err != nil {
		t.Fatal(err)
	}
	if _, err := Encode(shownOf(t, stored)); err != nil {
		t.Fatal(err)
	}
}

// growth is how many times as long work takes on four times the input, in time of the processor. It is the least of some
// tries, since other work on the machine only ever adds to it. Linear work takes 4 times as long, quadratic work 16 times.
func growth(work func(n int), n int) float64 {
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	least := func(n int) time.Duration {
		best := time.Duration(1 << 62)
		for range 3 {
			start := processorTime()
			work(n)
			best = min(best, processorTime()-start)
			goruntime.GC()
		}
		return best
	}
	return float64(least(4*n)) / float64(least(n))
}

// checkLinear checks that work takes time in proportion to its input.
func checkLinear(t *testing.T, work func(n int), n int) {
	t.Helper()
	const tries, tooSteep = 4, 9
	var g float64
	for range tries {
		if g = growth(work, n); g < tooSteep {
			return
		}
	}
	t.Errorf("four times the input takes %.1f times as long", g)
}

func TestTimeIsLinear(t *testing.T) {
	for _, test := range growing {
		t.Run(test.name, func(t *testing.T) {
			checkLinear(t, func(n int) { thereAndBack(t, []byte(`{`+apiHead+`,"spec":`+test.spec(n)+`}`)) }, 4000)
		})
	}
}

// TestTimeIsLinearInDepthAndSize nests a value as deep as it is long: reading it once more for each level is quadratic.
func TestTimeIsLinearInDepthAndSize(t *testing.T) {
	boxes := shapeOf(reflect.TypeFor[nestedBox]())
	objects := Further{Name: "danger", Key: "danger", Kind: "o"}
	for _, test := range []struct {
		name string
		work func(n int) bool
	}{
		{"members of a bag beside the others", func(n int) bool {
			_, ok := objects.flattened(runtime.JSON(`{"$propertyBag":{"x":` + deepLists(n) + `}}`))
			return ok
		}},
		{"boxes without their bags", func(n int) bool {
			_, ok := plainOf(boxes, runtime.JSON(`{"$propertyBag":{"x":1},"inner":`+string(deepBoxes(n, "x"))+`}`))
			return ok
		}},
		{"boxes in storage", func(n int) bool {
			stored := boxes.inStorage(deepBoxes(n, bag.Name))
			return len(stored) > n
		}},
		{"a search for bags", func(n int) bool { return !bagLike(runtime.JSON(`["$propertyBag",` + deepLists(n) + `]`)) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkLinear(t, func(n int) {
				if !test.work(n) {
					t.Fatal("it was refused")
				}
			}, 1500)
		})
	}
}

// nestedBox has one of its own type.
type nestedBox struct {
	Inner       *nestedBox          `json:"inner,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// movingMembers are an open object's n additional members on their way into a property bag and out of it again.
var movingMembers = []struct {
	name string
	work func(t testing.TB, n int)
}{
	{"through a closed type", func(t testing.TB, n int) {
		closed := closedBox{PropertyBag: Lower(manyBoxes(n), boxFurthers)}
		Raise(&closed, boxFurthers)
		back := openBox{PropertyBag: Lower(&closed, boxFurthers)}
		Raise(&back, boxFurthers)
		checkMembers(t, &back, n)
	}},
	{"through an open type that names one", func(t testing.TB, n int) {
		both := openedBox{PropertyBag: Lower(manyBoxes(n), boxFurthers)}
		Recall(&both.PropertyBag, "danger", &both.Danger)
		Raise(&both, boxFurthers)
		back := openBox{PropertyBag: Lower(&both, boxFurthers)}
		Stash(&back.PropertyBag, "danger", both.Danger)
		Raise(&back, boxFurthers)
		checkMembers(t, &back, n)
	}},
	{"through a type whose members are objects", func(t testing.TB, n int) {
		typed := openToTyped(manyBoxes(n))
		back := openFromTyped(&typed)
		checkMembers(t, &back, n)
	}},
	{"whose covers are many", func(t testing.TB, n int) {
		known := make(Furthers, 0, 2*n)
		src := closedBox{PropertyBag: runtime.PropertyBag{}}
		for i := range n {
			name := fmt.Sprintf("m%07d", i)
			known = append(known, Further{Name: name, Key: name, Kind: "i"}, Further{Name: name, Key: name + "@v2", Kind: "s"})
			src.PropertyBag[name], src.PropertyBag[name+"@v2"] = runtime.JSON("1"), runtime.JSON(`"two"`)
		}
		shown := openBox{PropertyBag: Lower(&src, known)}
		Raise(&shown, known)
		checkMembers(t, &shown, n)
		if back := Lower(&shown, known); len(back) != 2*n {
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

// TestTimeIsLinearInAdditionalMembers takes tens of thousands of them. [BenchmarkAdditionalMembers] takes more.
func TestTimeIsLinearInAdditionalMembers(t *testing.T) {
	for _, test := range movingMembers {
		t.Run(test.name, func(t *testing.T) {
			checkLinear(t, func(n int) { test.work(t, n) }, 10_000)
		})
	}
}
