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

// TestSizer checks the sizes against the allocations for one object, list or map. They may be
// neither smaller nor much larger, since a review waits for that much room.
func TestSizer(t *testing.T) {
	const room = mapHead + slots*slotHead // of a map
	for _, test := range []struct {
		of               reflect.Type
		single, repeated int64
	}{
		{reflect.TypeFor[string](), 0, 0},
		{reflect.TypeFor[small](), 16, 0},
		{reflect.TypeFor[*small](), 16, 0},
		{reflect.TypeFor[[][]small](), 0, 16},
		{reflect.TypeFor[large](), 33 * 8, 33 * 8}, // may contain itself
		{reflect.TypeFor[holder](), 32, 33 * 8},
		{reflect.TypeFor[struct{ A, B *small }](), 16, 0},
		{reflect.TypeFor[struct{ List []struct{ Inner *small } }](), 24, 16},
		{reflect.TypeFor[map[string]int64](), room + slots*8, grown * (slotHead + 8)},
		{reflect.TypeFor[map[string]small](), room + slots*16, grown * (slotHead + 16)},
		{reflect.TypeFor[map[string]large](), room + slots*largestSlot, grown * (slotHead + largestSlot)},
		{reflect.TypeFor[map[string][1000]int64](), room + slots*largestSlot, 8000},
		{reflect.TypeFor[map[string][]map[string][1000]int64](), room + slots*24, 8000},
		{reflect.TypeFor[[]map[string]int64](), 0, room + slots*8},
	} {
		var got sizer
		got.visit(test.of, false)
		if got.single != test.single || got.repeated != test.repeated {
			t.Errorf("%s has %d bytes once and %d in elements, want %d and %d", test.of, got.single, got.repeated, test.single, test.repeated)
		}
	}
}

// TestContainerSizes checks that the types of all steps count: the hub's once, and those of an API
// version together with their storage.
func TestContainerSizes(t *testing.T) {
	of := func(version string) schema.GroupVersionKind {
		return schema.GroupVersionKind{Group: "g", Version: version, Kind: "K"}
	}
	scheme := k8sruntime.NewScheme()
	scheme.AddKnownTypeWithName(of("hub"), &metav1.PartialObjectMetadata{})
	scheme.AddKnownTypeWithName(of("v1"), &metav1.Status{})
	scheme.AddKnownTypeWithName(of("v2"), &metav1.Table{})
	hub, v1, v2 := largestOf(scheme, of("hub")), largestOf(scheme, of("v1")), largestOf(scheme, of("v2"))
	if hub.root != int64(reflect.TypeFor[metav1.PartialObjectMetadata]().Size()) || hub.metadata == 0 || hub.repeated != 0 {
		t.Errorf("an object of metadata alone has %+v", hub)
	}
	if cause := int64(reflect.TypeFor[metav1.StatusCause]().Size()); v1.repeated != cause || v1.single <= cause || v1.metadata != 0 {
		t.Errorf("a status has %+v, with causes of %d bytes", v1, cause)
	}
	for _, test := range []struct {
		from, to string
		of       []containerSizes
	}{
		{"v1", "hub", []containerSizes{v1}},
		{"hub", "v2", []containerSizes{v2}},
		{"v1", "v2", []containerSizes{v1, v2}},
	} {
		want := hub
		for _, s := range test.of {
			want.root += 2*s.root + pointerSize
			want.metadata += 2 * s.metadata
			want.single += 2*s.single + pointerSize
			want.repeated += 2*s.repeated + pointerSize
		}
		if got := sizesOf(scheme, of(test.from), of(test.to), of("hub")); got != want {
			t.Errorf("from %s to %s, an object takes %+v, want %+v", test.from, test.to, got, want)
		}
	}
	c := converter{sizes: containerSizes{single: 1000, repeated: 10}}
	if lists, objects, neither := c.Cost([]byte("[[[")), c.Cost([]byte("{{{")), c.Cost([]byte("   ")); lists-neither != 3000 || objects != lists {
		t.Errorf("three lists cost %d, three objects %d, and neither %d", lists, objects, neither)
	}
	all := containerSizes{root: 1, metadata: 10, single: 100, repeated: 1000, bags: 10000}
	if got := all.of(counts{root: 1, metadata: 2, single: 3, repeated: 4, hiding: 5, entries: 6}); got != 54321 {
		t.Errorf("the sizes are %d", got)
	}
	if got := all.most(); got != 11000 {
		t.Errorf("the largest size is %d", got)
	}
}

// TestBracketsInTextsCostNothing checks that brackets in texts count as Go values only as long as
// the sum is small.
func TestBracketsInTextsCostNothing(t *testing.T) {
	const n = 100_000
	c := converter{scheme: k8sruntime.NewScheme(), sizes: containerSizes{root: 1000, single: 1000, repeated: 1000}}
	cost := func(text string) int64 { return c.Cost([]byte(text)) - textFactor*int64(len(text)) }
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
		if got := cost(test.text); got != test.want*1000 {
			t.Errorf("%s: %d bytes for values, want %d", test.reason, got, test.want*1000)
		}
	}
}
