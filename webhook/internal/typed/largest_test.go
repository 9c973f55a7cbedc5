package typed

import (
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type (
	small struct{ A, B int64 }
	large struct {
		Text [32]int64
		Next *large
	}
	holder struct {
		Small *small
		Large []large
	}
)

// TestLargest checks the size against the allocations for one object, list or map. It may be
// neither smaller nor much larger, since a review waits for that much room.
func TestLargest(t *testing.T) {
	const room = mapHead + slots*slotHead // of a map
	for _, test := range []struct {
		of   reflect.Type
		want int64
	}{
		{reflect.TypeFor[string](), 0},
		{reflect.TypeFor[small](), 16},
		{reflect.TypeFor[*small](), 16},
		{reflect.TypeFor[[][]small](), 16},
		{reflect.TypeFor[large](), 33 * 8},
		{reflect.TypeFor[holder](), 33 * 8},
		{reflect.TypeFor[map[string]int64](), room + slots*8},
		{reflect.TypeFor[map[string]small](), room + slots*16},
		{reflect.TypeFor[map[string]large](), room + slots*largestSlot},
		{reflect.TypeFor[map[string][1000]int64](), 8000},
		{reflect.TypeFor[map[string][]map[string][1000]int64](), 8000},
	} {
		if got := largest(test.of, map[reflect.Type]bool{}); got != test.want {
			t.Errorf("%s has %d bytes, want %d", test.of, got, test.want)
		}
	}
}

// TestContainerSize checks that the types of all steps count: the hub's once, and those of an API
// version together with their storage.
func TestContainerSize(t *testing.T) {
	of := func(version string) schema.GroupVersionKind {
		return schema.GroupVersionKind{Group: "g", Version: version, Kind: "K"}
	}
	scheme := k8sruntime.NewScheme()
	scheme.AddKnownTypeWithName(of("hub"), &metav1.Table{})
	scheme.AddKnownTypeWithName(of("v1"), &metav1.Status{})
	scheme.AddKnownTypeWithName(of("v2"), &metav1.List{})
	size := func(object any) int64 { return largest(reflect.TypeOf(object), map[reflect.Type]bool{}) }
	hub, v1, v2 := size(metav1.Table{}), 2*size(metav1.Status{})+pointerSize, 2*size(metav1.List{})+pointerSize
	for _, test := range []struct {
		from, to string
		want     int64
	}{
		{"v1", "hub", hub + v1},
		{"hub", "v2", hub + v2},
		{"v1", "v2", hub + v1 + v2},
	} {
		if got := containerSize(scheme, of(test.from), of(test.to), of("hub")); got != test.want || got <= hub {
			t.Errorf("from %s to %s, an object takes %d bytes, want %d", test.from, test.to, got, test.want)
		}
	}
	c := converter{container: 1000}
	if lists, objects, neither := c.Cost([]byte("[[[")), c.Cost([]byte("{{{")), c.Cost([]byte("   ")); lists-neither != 3000 || objects != lists {
		t.Errorf("three lists cost %d, three objects %d, and neither %d", lists, objects, neither)
	}
}

// TestBracketsInTextsCostNothing checks that brackets in texts count as Go values only as long as
// the sum is small.
func TestBracketsInTextsCostNothing(t *testing.T) {
	const n = 100_000
	c := converter{container: 1000}
	cost := func(text string) int64 { return c.Cost([]byte(text)) - textFactor*int64(c.Steps())*int64(len(text)) }
	brackets := strings.Repeat("{[", n)
	for _, test := range []struct {
		reason, text string
		want         int64
	}{
		{"a text of brackets", `{"a":"` + brackets + `"}`, 1},
		{"a name of brackets", `{"` + brackets + `":["a"]}`, 2},
		{"behind an escaped quote", `{"a":"\\\"` + brackets + `","b":{}}`, 2},
		{"behind an escaped backslash", `["\\",` + brackets, 2*n + 1},
		{"objects and lists", brackets, 2 * n},
		{"few in a text, which are not told apart", `"` + strings.Repeat("{", recounted/1000) + `"`, recounted / 1000},
		{"one more", `"` + strings.Repeat("{", recounted/1000+1) + `"`, 0},
	} {
		if got := cost(test.text); got != test.want*c.container {
			t.Errorf("%s: %d bytes for values, want %d", test.reason, got, test.want*c.container)
		}
	}
}
