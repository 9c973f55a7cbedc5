package bag_test

import (
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
)

// TestMarkedKeys checks which keys name a version, up to the last digit with which one can begin.
func TestMarkedKeys(t *testing.T) {
	for key, want := range map[string]bool{
		"a@v0": true, "a@v9": true, "a@v20200101": true, "@v1": true, "a@b@v9!raw": true,
		"a": false, "@": false, "a@": false, "a@v": false, "a@w1": false, "a@v:": false, "a@v/": false, "a@v1@": false,
	} {
		if got := bag.IsMarked(key); got != want {
			t.Errorf("%q is marked: %t, want %t", key, got, want)
		}
	}
}

// TestHasNameLikeIn checks that names spelled with escapes are found, and that other escapes are
// not taken for such names.
func TestHasNameLikeIn(t *testing.T) {
	for value, want := range map[string]bool{
		`{"$propertyBag":1}`: true, `[{"a":{"$$propertyBag":1}}]`: true, `{"\u0024propertyBag":1}`: true, `{"$propertyB\u0061g":1}`: true,
		`{"a":"\u00e9"}`: false, `{"\u00e9":1}`: false, `{"a":"$propertyBag"}`: false, `{}`: false,
	} {
		if got := bag.HasNameLikeIn(runtime.JSON(value)); got != want {
			t.Errorf("%s has a name like that of a bag: %t, want %t", value, got, want)
		}
	}
}

// TestMayHaveBags checks that a name without its first quote hides no later one.
func TestMayHaveBags(t *testing.T) {
	for data, want := range map[string]bool{
		`{"$propertyBag":{}}`: true, `{"x$propertyBag":{"$propertyBag":{}}}`: true, `$propertyBag","$propertyBag"`: true,
		`{"x$propertyBag":{}}`: false, `$propertyBag"`: false, ``: false,
	} {
		if got := bag.MayHaveBags([]byte(data)); got != want {
			t.Errorf("%s may have bags: %t, want %t", data, got, want)
		}
	}
}
