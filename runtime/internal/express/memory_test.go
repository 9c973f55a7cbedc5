package express

import (
	"encoding/json"
	"reflect"
	goruntime "runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/stratakube/strata/runtime/internal/linear"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// TestComparisonsAreLean bounds the memory to compare large specs, for each byte of their JSON. The
// paths are of a member beside the long ones, or of the long one itself.
func TestComparisonsAreLean(t *testing.T) {
	for _, test := range []struct {
		reason, at, text string
		most             float64
	}{
		{"beside a long list", "name", `{"list":[` + linear.Members(100000, func(int) string { return `1` }) + `],"name":"n"}`, 8},
		{"beside free JSON", "name", `{"free":[` + linear.Members(100000, func(int) string { return `{"x":1}` }) + `],"name":"n"}`, 8},
		{"free JSON", "free", `{"free":[` + linear.Members(100000, func(int) string { return `{"x":1}` }) + `]}`, 32},
		{"deep free JSON", "free", `{"free":` + strings.Repeat(`{"x":`, 9000) + `1` + strings.Repeat(`}`, 9000) + `}`, 48},
	} {
		var a, b compared
		for _, into := range []*compared{&a, &b} {
			if err := json.Unmarshal([]byte(test.text), into); err != nil {
				t.Fatal(err)
			}
		}
		paths := []*Path{(*Path)(nil).to(member(test.at))}
		compare := func() []*Path {
			return Lost(paths, shape.Of(reflect.TypeFor[compared]()), unsafe.Pointer(&a), unsafe.Pointer(&b))
		}
		compare() // buffers that are reused
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		lost := compare()
		goruntime.ReadMemStats(&after)
		if took := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(test.text)); took > test.most || len(lost) > 0 {
			t.Errorf("%s: %.1f bytes for each byte; %d are lost", test.reason, took, len(lost))
		}
	}
}
