package convert

import (
	"fmt"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/linear"
)

// growing are specs of gadgets.
var growing = []growingSpec{
	{"wrong additional members", func(n int) string {
		return `{"open":{` + linear.Members(n, func(i int) string { return fmt.Sprintf(`"m%d":%d`, i, i) }) + `}}`
	}},
	{"wrong texts of angle brackets", func(n int) string {
		return `{"free":"` + strings.Repeat("<", n) + `","size":"` + strings.Repeat("<", n) + `","parts":"` + strings.Repeat("<", n) + `"}`
	}},
	{"additional members beside a null", func(n int) string {
		return `{"free":{"a":null},"open":{` + linear.Members(n, func(i int) string { return fmt.Sprintf(`"m%d":{}`, i) }) + `}}`
	}},
	{"unknown members beside a null", func(n int) string {
		return `{"size":null,` + linear.Members(n, func(i int) string { return fmt.Sprintf(`"u%d":1`, i) }) + `}`
	}},
	{"null values of a map", func(n int) string {
		return `{"tags":{` + linear.Members(n, func(i int) string { return fmt.Sprintf(`"t%d":null`, i) }) + `}}`
	}},
	{"wrong values of a map", func(n int) string {
		return `{"spares":{` + linear.Members(n, func(i int) string { return fmt.Sprintf(`"s%d":%d`, i, i) }) + `}}`
	}},
	{"wrong members in values of a map", func(n int) string {
		return `{"spares":{` + linear.Members(n, func(i int) string { return fmt.Sprintf(`"s%d":{"color":1}`, i) }) + `}}`
	}},
	{"wrong members in one value of a map", func(n int) string {
		return `{"spares":{"a":{"parts":[` + linear.Members(n, func(i int) string { return `{"color":1}` }) + `]}}}`
	}},
	{"wrong elements", func(n int) string {
		return `{"parts":[` + linear.Members(n, func(i int) string { return "1" }) + `]}`
	}},
	{"every other element is wrong", func(n int) string {
		return `{"parts":[` + linear.Members(n, func(i int) string { return `{},1` }) + `]}`
	}},
	{"wrong elements below a long key", func(n int) string {
		return `{"spares":{"` + strings.Repeat("k", n) + `":{"parts":[` + linear.Members(n, func(i int) string { return `{},1` }) + `]}}}`
	}},
	{"a text in a list of texts", func(n int) string {
		return `{"lines":[` + linear.Members(n, func(i int) string { return `"a"` }) + `,1]}`
	}},
	{"lists of lists", func(n int) string {
		return `{"rows":[` + linear.Members(n, func(i int) string { return `[{},1]` }) + `]}`
	}},
	{"nested objects", func(n int) string {
		depth := n / 4
		return `{"main":` + strings.Repeat(`{"inner":`, depth) + `{"color":1}` + strings.Repeat(`}`, depth) + `}`
	}},
	{"right elements", func(n int) string {
		return `{"parts":[` + linear.Members(n, func(i int) string { return fmt.Sprintf(`{"weight":%d}`, i) }) + `]}`
	}},
}

// thereAndBack takes an object through Go types: to storage, and back to JSON.
func thereAndBack(t testing.TB, data []byte) {
	var g fixtures.Gadget
	if err := Decode(data, &g); err != nil {
		t.Fatal(err)
	}
	stored := fixtures.StoredOf(t, &g)
	if _, err := Encode(stored); err != nil {
		t.Fatal(err)
	}
	if _, err := Encode(fixtures.APIOf(t, stored)); err != nil {
		t.Fatal(err)
	}
}

func TestTimeIsLinear(t *testing.T) {
	for _, test := range growing {
		t.Run(test.name, func(t *testing.T) {
			linear.Check(t, func(n int) { thereAndBack(t, []byte(`{`+apiHead+`,"spec":`+test.spec(n)+`}`)) }, 4000)
		})
	}
}

// BenchmarkLinear converts specs of n, 2n and 4n members there and back, by Go types, and, where a
// plan does not refuse them, by plans. Time, and memory for each byte of the object, stay in
// proportion; peak-B/B is the most heap in use.
func BenchmarkLinear(b *testing.B) {
	for _, test := range growing {
		for _, n := range []int{5000, 10000, 20000} {
			data := []byte(`{` + apiHead + `,"spec":` + test.spec(n) + `}`)
			b.Run(fmt.Sprintf("types/%s/%d", test.name, n), func(b *testing.B) {
				measured(b, data, func() { thereAndBack(b, data) })
			})
		}
	}
	for _, test := range growingHidden {
		for _, n := range []int{5000, 10000, 20000} {
			data := []byte(`{` + storageHead + `,"spec":` + test.spec(n) + `}`)
			b.Run(fmt.Sprintf("types/%s/%d", test.name, n), func(b *testing.B) {
				measured(b, data, func() { fixtures.StoredOf(b, fixtures.APIOf(b, storedIn(b, test.spec(n)))) })
			})
		}
	}
	up, down := gadgetWays(b)
	for _, test := range append(growing, growingHidden...) {
		for _, n := range []int{5000, 10000, 20000} {
			data := []byte(gadgetHubHead + `,"spec":` + test.spec(n) + `}`)
			b.Run(fmt.Sprintf("plans/%s/%d", test.name, n), func(b *testing.B) {
				measured(b, data, func() {
					if out, ok := tryAppend(down, nil, data); ok {
						tryAppend(up, nil, out)
					}
				})
			})
		}
	}
}

// measured runs work, and reports the most heap that it had in use, for each byte of an object.
func measured(b *testing.B, object []byte, work func()) {
	b.SetBytes(int64(len(object)))
	b.ReportAllocs()
	before, peak, done := heapInUse(), atomic.Uint64{}, make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(100 * time.Microsecond):
				peak.Store(max(peak.Load(), heapInUse()))
			}
		}
	}()
	for b.Loop() {
		work()
	}
	close(done)
	b.ReportMetric(float64(peak.Load()-min(before, peak.Load()))/float64(len(object)), "peak-B/B")
}

func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
