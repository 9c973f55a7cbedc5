package convert

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/linear"
)

// growingSpec is a spec whose length is in proportion to n.
type growingSpec struct {
	name string
	spec func(n int) string
}

// growingHidden are specs of stored gadgets that hide values.
var growingHidden = []growingSpec{
	{"hidden in every element", func(n int) string {
		return `{"parts":[` + linear.Members(n, func(i int) string { return fmt.Sprintf(`{"weight":%d,"$propertyBag":{"x":1}}`, i) }) + `]}`
	}},
	{"hidden in the elements of many lists", func(n int) string {
		return `{"parts":[` + linear.Members(n, func(i int) string { return fmt.Sprintf(`{"weight":%d,"parts":[{"$propertyBag":{"x":1}}]}`, i) }) + `]}`
	}},
	{"a large property bag", func(n int) string {
		return `{"$propertyBag":{` + linear.Members(n, func(i int) string { return fmt.Sprintf(`"k%d":1`, i) }) + `}}`
	}},
	{"a hidden text of angle brackets", func(n int) string {
		return `{"size":"` + strings.Repeat("<", n) + `","$propertyBag":{"x":"` + strings.Repeat("<", n) + `"}}`
	}},
	{"hidden in every value of a map", func(n int) string {
		return `{"spares":{` + linear.Members(n, func(i int) string { return fmt.Sprintf(`"s%d":{"$propertyBag":{"x":1}}`, i) }) + `}}`
	}},
	{"hidden in every element with a name", func(n int) string {
		return `{"ports":[` + linear.Members(n, func(i int) string { return fmt.Sprintf(`{"name":"p%d","$propertyBag":{"x":1}}`, i) }) + `]}`
	}},
	{"hidden in every element with a key", func(n int) string {
		return `{"rules":[` + linear.Members(n, func(i int) string { return fmt.Sprintf(`{"name":"p%d","number":1,"$propertyBag":{"x":1}}`, i) }) + `]}`
	}},
	{"hidden in additional members", func(n int) string {
		return `{"open":{` + linear.Members(n, func(i int) string { return fmt.Sprintf(`"m%d":{"$propertyBag":{"x":1}}`, i) }) + `}}`
	}},
	{"hidden below lists in lists", func(n int) string {
		depth := n / 16
		return `{"parts":[` + strings.Repeat(`{"parts":[`, depth) + `{"$propertyBag":{"x":1}}` + strings.Repeat(`,{"color":"a"}]}`, depth) + `]}`
	}},
	{"hidden below lists in lists, with leaves at the bottom", func(n int) string {
		depth := n / 16
		return `{"parts":[` + strings.Repeat(`{"parts":[`, depth) + linear.Members(n, func(i int) string { return fmt.Sprintf(`{"weight":%d}`, i) }) + `,{"$propertyBag":{"x":1}}` + strings.Repeat(`]}`, depth) + `]}`
	}},
}

func storedIn(t testing.TB, spec string) *fixtures.StoredGadget {
	var stored fixtures.StoredGadget
	if err := Decode([]byte(`{`+storageHead+`,"spec":`+spec+`}`), &stored); err != nil {
		t.Fatal(err)
	}
	return &stored
}

func TestTimeIsLinearInHiddenValues(t *testing.T) {
	for _, test := range growingHidden {
		t.Run(test.name, func(t *testing.T) {
			linear.Check(t, func(n int) { fixtures.StoredOf(t, fixtures.APIOf(t, storedIn(t, test.spec(n)))) }, 2000)
		})
		t.Run(test.name+", after an edit", func(t *testing.T) {
			linear.Check(t, func(n int) {
				visible := fixtures.APIOf(t, storedIn(t, test.spec(n)))
				if len(visible.Spec.Parts) > 0 {
					visible.Spec.Parts = append(visible.Spec.Parts[1:], fixtures.GadgetPart{Color: new("new")})
				}
				visible.Spec.Size = new("edited")
				fixtures.StoredOf(t, visible)
			}, 2000)
		})
	}
}

// hostileBags are bags that no version writes, of a length in proportion to n, for a spec with n
// parts.
var hostileBags = []struct {
	name string
	bag  func(n int) string
}{
	{"a member again and again", func(n int) string {
		return `{"format":1,"fingerprints":1,"spec":{"in":{` + linear.Members(n, func(int) string { return `"parts":{"all":"AAAAAAAAAAE","in":[[0,{"bag":{"x":1}}]]}` }) + `}}}`
	}},
	{"a section again and again", func(n int) string {
		return `{"format":1,"fingerprints":1,"spec":{` + linear.Members(n, func(int) string { return `"in":{"parts":{"all":"AAAAAAAAAAE","in":[]}}` }) + `}}`
	}},
	{"raw entries of one name", func(n int) string {
		return `{"format":1,"raw":{"spec":{"bag":{` + linear.Members(n, func(int) string { return `"size@v20140404!raw":1` }) + `}}}}`
	}},
	{"raw elements in no order", func(n int) string {
		return `{"format":1,"raw":{"spec":{"in":{"parts":{"in":[` + linear.Members(n, func(i int) string { return fmt.Sprintf(`[%d,{"bag":{"x@v20140404!raw":1}}]`, (i*7919)%n) }) + `]}}}}}`
	}},
}

func TestTimeIsLinearInHostileBags(t *testing.T) {
	for _, test := range hostileBags {
		t.Run(test.name, func(t *testing.T) {
			linear.Check(t, func(n int) {
				g := &fixtures.Gadget{Spec: &fixtures.GadgetSpec{Parts: make([]fixtures.GadgetPart, n), Rows: [][]fixtures.GadgetPart{make([]fixtures.GadgetPart, n)}}}
				bag := test.bag(n)
				g.SetStatusBag(&bag)
				if _, err := Encode(g); err != nil {
					t.Fatal(err)
				}
				fixtures.StoredOf(t, g)
			}, 1000)
		})
	}
}

// TestTimeIsLinearWhereElementIsNamedAgain restores a bag that names one element again and again,
// and in it a long list.
func TestTimeIsLinearWhereElementIsNamedAgain(t *testing.T) {
	linear.Check(t, func(n int) {
		visible := fixtures.APIOf(t, storedIn(t, `{"parts":[{"parts":[`+linear.Members(n, func(int) string { return `{}` })+`],"$propertyBag":{"x":1}}]}`))
		const once = `[0,{"bag":{"x":1}}]`
		bag := *visible.StatusBag()
		if !strings.Contains(bag, once) {
			t.Fatalf("the bag is %s", bag)
		}
		bag = strings.Replace(bag, once, linear.Members(n, func(int) string { return `[0,{"in":{"parts":{"all":"AAAAAAAAAAE","in":[[0,{}]]}}}]` }), 1)
		visible.SetStatusBag(&bag)
		fixtures.StoredOf(t, visible)
	}, 1000)
}
