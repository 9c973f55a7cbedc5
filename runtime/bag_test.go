package runtime

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// address is a storage type as strata generates it.
type address struct {
	Street      *string           `json:"street,omitzero"`
	Number      *int64            `json:"number,omitzero"`
	Height      *float64          `json:"height,omitzero"`
	Listed      *bool             `json:"listed,omitzero"`
	Lines       []string          `json:"lines,omitzero"`
	Labels      map[string]string `json:"labels,omitzero"`
	Former      []address         `json:"former,omitzero"`
	Free        JSON              `json:"free,omitzero"`
	PropertyBag PropertyBag       `json:"$propertyBag,omitzero"`
}

func TestStash(t *testing.T) {
	full := func() PropertyBag { return PropertyBag{"key": JSON("1"), "other": JSON("2")} }
	for _, test := range []struct {
		reason string
		stash  func(bag *PropertyBag)
		in     PropertyBag
		want   PropertyBag
	}{
		{"the bag is made when it is needed", stashing(new("a")), nil, PropertyBag{"key": JSON(`"a"`)}},
		{"an entry is replaced", stashing(new("a")), full(), PropertyBag{"key": JSON(`"a"`), "other": JSON("2")}},
		{"an absent integer leaves what is there", stashing((*int64)(nil)), full(), full()},
		{"an absent list does", stashing([]string(nil)), PropertyBag{"key": JSON("[]")}, PropertyBag{"key": JSON("[]")}},
		{"absent JSON does", stashing(JSON(nil)), full(), full()},
		{"null does", stashing(JSON("null")), full(), full()},
		{"an absent object does", stashing((*address)(nil)), PropertyBag{"key": JSON(`{"town":"b"}`)}, PropertyBag{"key": JSON(`{"town":"b"}`)}},
		{"no bag is made for it", stashing((*string)(nil)), nil, nil},
		{"zero is not absent", stashing(new(int64)), nil, PropertyBag{"key": JSON("0")}},
		{"false is not absent", stashing(new(bool)), nil, PropertyBag{"key": JSON("false")}},
		{"empty text is not absent", stashing(new("")), nil, PropertyBag{"key": JSON(`""`)}},
		{"an empty list is not absent", stashing([]address{}), nil, PropertyBag{"key": JSON("[]")}},
		{"an empty map is not absent", stashing(map[string]string{}), nil, PropertyBag{"key": JSON("{}")}},
		{"an empty object is not absent", stashing(&address{}), nil, PropertyBag{"key": JSON("{}")}},
		{"integers are exact", stashing(new(int64(1<<53 + 1))), nil, PropertyBag{"key": JSON("9007199254740993")}},
		{"numbers are the shortest", stashing(new(1e300)), nil, PropertyBag{"key": JSON("1e+300")}},
		{"text has the escapes it needs", stashing(new("\"\\\n<é>\u2028")), nil, PropertyBag{"key": JSON(`"\"\\\n<é>\u2028"`)}},
		{"JSON stays verbatim", stashing(JSON("1.0")), nil, PropertyBag{"key": JSON("1.0")}},
		{"JSON within an object does", stashing(&address{Free: JSON(`"<\u00e9>"`)}), nil, PropertyBag{"key": JSON(`{"free":"<\u00e9>"}`)}},
		{"what has no JSON is absent", stashing(new(math.NaN())), full(), full()},
		{"damaged JSON is absent", stashing(&address{Free: JSON("{")}), full(), full()},
	} {
		t.Run(test.reason, func(t *testing.T) {
			test.stash(&test.in)
			if diff := cmp.Diff(test.want, test.in); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func stashing[T any](value T) func(bag *PropertyBag) {
	return func(bag *PropertyBag) { Stash(bag, "key", value) }
}

func TestCopiesOfBags(t *testing.T) {
	bag := PropertyBag{"a": JSON("1")}
	clone, deep := bag.Clone(), bag.DeepCopy()
	Stash(&clone, "b", new("x"))
	deep["a"][0] = '2'
	if diff := cmp.Diff(PropertyBag{"a": JSON("1")}, bag); diff != "" {
		t.Errorf("the bag changed with a copy:\n%s", diff)
	}
	if (PropertyBag{}).Clone() != nil || PropertyBag(nil).Clone() != nil {
		t.Error("the clone of an empty bag is a bag")
	}
	var out PropertyBag
	PropertyBag{}.DeepCopyInto(&out)
	if out == nil || PropertyBag(nil).DeepCopy() != nil {
		t.Error("a deep copy confuses absent and empty")
	}
}

// TestStashedValuesComeBack is the law of the bag: what was stashed is recalled, and leaves the bag as it was.
func TestStashedValuesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := drawAddress(t, 2)
		bag := PropertyBag{"foreign": JSON("[1.0]")}
		Stash(&bag, "key", value)
		if !json.Valid(bag["key"]) {
			t.Fatalf("the entry is %s", bag["key"])
		}
		var got *address
		if !Recall(&bag, "key", &got) {
			t.Fatalf("%s was not recalled", bag["key"])
		}
		if diff := cmp.Diff(value, got); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(PropertyBag{"foreign": JSON("[1.0]")}, bag); diff != "" {
			t.Fatal(diff)
		}
	})
}

func drawAddress(t *rapid.T, depth int) *address {
	text := rapid.StringN(0, 8, -1)
	a := &address{
		Street: rapid.Ptr(text, true).Draw(t, "street"),
		Number: rapid.Ptr(rapid.Int64(), true).Draw(t, "number"),
		Height: rapid.Ptr(rapid.Float64(), true).Draw(t, "height"),
		Listed: rapid.Ptr(rapid.Bool(), true).Draw(t, "listed"),
		Free:   rapid.SampledFrom([]JSON{nil, JSON("1.0"), JSON(`{"<":null}`), JSON(`12345678901234567890`)}).Draw(t, "free"),
	}
	if rapid.Bool().Draw(t, "with lists") {
		a.Lines = rapid.SliceOfN(text, 0, 3).Draw(t, "lines")
		a.Labels = rapid.MapOfN(text, text, 0, 3).Draw(t, "labels")
		a.PropertyBag = PropertyBag{"k": JSON("[null]")}
	}
	for i := 0; depth > 0 && i < rapid.IntRange(0, 2).Draw(t, "former"); i++ {
		a.Former = append(a.Former, *drawAddress(t, depth-1))
	}
	return a
}

func TestBagsTravelInObjects(t *testing.T) {
	in := address{PropertyBag: PropertyBag{"b": JSON("1.0"), "a": JSON(`{"x":"<"}`)}}
	data, err := marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"$propertyBag":{"a":{"x":"<"},"b":1.0}}`; string(data) != want {
		t.Errorf("written as %s, want %s", data, want)
	}
}

func TestOwnDecodersAreFound(t *testing.T) {
	for _, test := range []struct {
		reason string
		of     reflect.Type
		want   bool
	}{
		{"a scalar", reflect.TypeFor[*string](), false},
		{"a storage type, recursive and with a bag", reflect.TypeFor[**address](), false},
		{"free JSON", reflect.TypeFor[[]JSON](), false},
		{"an open object", reflect.TypeFor[*open](), true},
		{"one in a map in a list", reflect.TypeFor[[]map[string]open](), true},
		{"one in a field", reflect.TypeFor[struct{ O **open }](), true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			for range 2 { // the second time from memory
				if got := hasOwnDecoder(test.of); got != test.want {
					t.Errorf("found %v", got)
				}
			}
		})
	}
}
