package genruntime_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// address is a storage type as strata generates it.
type address struct {
	Street      *string             `json:"street,omitzero"`
	Number      *int64              `json:"number,omitzero"`
	Height      *float64            `json:"height,omitzero"`
	Listed      *bool               `json:"listed,omitzero"`
	Lines       []string            `json:"lines,omitzero"`
	Labels      map[string]string   `json:"labels,omitzero"`
	Former      []address           `json:"former,omitzero"`
	Free        runtime.JSON        `json:"free,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func TestStash(t *testing.T) {
	full := func() runtime.PropertyBag {
		return runtime.PropertyBag{"key": runtime.JSON("1"), "other": runtime.JSON("2")}
	}
	for _, test := range []struct {
		reason string
		stash  func(bag *runtime.PropertyBag)
		in     runtime.PropertyBag
		want   runtime.PropertyBag
	}{
		{"the bag is made when it is needed", stashing(new("a")), nil, runtime.PropertyBag{"key": runtime.JSON(`"a"`)}},
		{"an entry is replaced", stashing(new("a")), full(), runtime.PropertyBag{"key": runtime.JSON(`"a"`), "other": runtime.JSON("2")}},
		{"an absent integer leaves what is there", stashing((*int64)(nil)), full(), full()},
		{"an absent list does", stashing([]string(nil)), runtime.PropertyBag{"key": runtime.JSON("[]")}, runtime.PropertyBag{"key": runtime.JSON("[]")}},
		{"absent JSON does", stashing(runtime.JSON(nil)), full(), full()},
		{"null does", stashing(runtime.JSON("null")), full(), full()},
		{"an absent object does", stashing((*address)(nil)), runtime.PropertyBag{"key": runtime.JSON(`{"town":"b"}`)}, runtime.PropertyBag{"key": runtime.JSON(`{"town":"b"}`)}},
		{"no bag is made for it", stashing((*string)(nil)), nil, nil},
		{"zero is not absent", stashing(new(int64)), nil, runtime.PropertyBag{"key": runtime.JSON("0")}},
		{"false is not absent", stashing(new(bool)), nil, runtime.PropertyBag{"key": runtime.JSON("false")}},
		{"empty text is not absent", stashing(new("")), nil, runtime.PropertyBag{"key": runtime.JSON(`""`)}},
		{"an empty list is not absent", stashing([]address{}), nil, runtime.PropertyBag{"key": runtime.JSON("[]")}},
		{"an empty map is not absent", stashing(map[string]string{}), nil, runtime.PropertyBag{"key": runtime.JSON("{}")}},
		{"an empty object is not absent", stashing(&address{}), nil, runtime.PropertyBag{"key": runtime.JSON("{}")}},
		{"integers are exact", stashing(new(int64(1<<53 + 1))), nil, runtime.PropertyBag{"key": runtime.JSON("9007199254740993")}},
		{"numbers are the shortest", stashing(new(1e300)), nil, runtime.PropertyBag{"key": runtime.JSON("1e+300")}},
		{"text has the escapes of API servers", stashing(new("\"\\\n<é>\u2028")), nil, runtime.PropertyBag{"key": runtime.JSON(`"\"\\\n\u003cé\u003e\u2028"`)}},
		{"JSON stays verbatim", stashing(runtime.JSON("1.0")), nil, runtime.PropertyBag{"key": runtime.JSON("1.0")}},
		{"JSON within an object does", stashing(&address{Free: runtime.JSON(`"<\u00e9>"`)}), nil, runtime.PropertyBag{"key": runtime.JSON(`{"free":"<\u00e9>"}`)}},
		{"what has no JSON is absent", stashing(new(math.NaN())), full(), full()},
		{"damaged JSON is absent", stashing(&address{Free: runtime.JSON("{")}), full(), full()},
	} {
		t.Run(test.reason, func(t *testing.T) {
			test.stash(&test.in)
			if diff := cmp.Diff(test.want, test.in); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func stashing[T any](value T) func(bag *runtime.PropertyBag) {
	return func(bag *runtime.PropertyBag) { genruntime.Stash(bag, "key", value) }
}

func TestCopiesOfBags(t *testing.T) {
	bag := runtime.PropertyBag{"a": runtime.JSON("1")}
	clone, deep := bag.Clone(), bag.DeepCopy()
	genruntime.Stash(&clone, "b", new("x"))
	deep["a"][0] = '2'
	if diff := cmp.Diff(runtime.PropertyBag{"a": runtime.JSON("1")}, bag); diff != "" {
		t.Errorf("the bag changed with a copy:\n%s", diff)
	}
	if (runtime.PropertyBag{}).Clone() != nil || runtime.PropertyBag(nil).Clone() != nil {
		t.Error("the clone of an empty bag is a bag")
	}
	var out runtime.PropertyBag
	runtime.PropertyBag{}.DeepCopyInto(&out)
	if out == nil || runtime.PropertyBag(nil).DeepCopy() != nil {
		t.Error("a deep copy confuses absent and empty")
	}
}

// TestStashedValuesComeBack checks the law of the bag: a stashed value can be recalled, and the
// bag is then the same as before.
func TestStashedValuesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := drawAddress(t, 2)
		bag := runtime.PropertyBag{"foreign": runtime.JSON("[1.0]")}
		genruntime.Stash(&bag, "key", value)
		if !json.Valid(bag["key"]) {
			t.Fatalf("the entry is %s", bag["key"])
		}
		var got *address
		if !genruntime.Recall(&bag, "key", &got) {
			t.Fatalf("%s was not recalled", bag["key"])
		}
		if diff := cmp.Diff(value, got); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(runtime.PropertyBag{"foreign": runtime.JSON("[1.0]")}, bag); diff != "" {
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
		Free:   rapid.SampledFrom([]runtime.JSON{nil, runtime.JSON("1.0"), runtime.JSON(`{"<":null}`), runtime.JSON(`12345678901234567890`)}).Draw(t, "free"),
	}
	if rapid.Bool().Draw(t, "with lists") {
		a.Lines = rapid.SliceOfN(text, 0, 3).Draw(t, "lines")
		a.Labels = rapid.MapOfN(text, text, 0, 3).Draw(t, "labels")
		a.PropertyBag = runtime.PropertyBag{"k": runtime.JSON("[null]")}
	}
	for i := 0; depth > 0 && i < rapid.IntRange(0, 2).Draw(t, "former"); i++ {
		a.Former = append(a.Former, *drawAddress(t, depth-1))
	}
	return a
}

func TestBagsTravelInObjects(t *testing.T) {
	in := address{PropertyBag: runtime.PropertyBag{"b": runtime.JSON("1.0"), "a": runtime.JSON(`{"x":"<"}`)}}
	data, err := jsontext.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"$propertyBag":{"a":{"x":"<"},"b":1.0}}`; string(data) != want {
		t.Errorf("written as %s, want %s", data, want)
	}
}

// TestStashSpellsAsAPIServers compares entries with the bytes that an API server sends after it has
// stored them. An API server has also sent the free JSON in the value.
func TestStashSpellsAsAPIServers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawn := fixtures.DrawSpec(t)
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("<>&\"\\/\n\u2028\u2029é🙂$a"))))
		drawn.Size = new(text.Draw(t, "size"))
		drawn.Parts = append(drawn.Parts, fixtures.StoredPart{Color: new(text.Draw(t, "color")), PropertyBag: runtime.PropertyBag{text.Draw(t, "key"): runtime.JSON(`"<"`)}})
		var spec fixtures.StoredSpec
		if err := kjson.UnmarshalCaseSensitivePreserveInts(sent(t, drawn), &spec); err != nil {
			t.Fatal(err)
		}
		var b runtime.PropertyBag
		genruntime.Stash(&b, "key", &spec)
		if got, want := string(b["key"]), string(sent(t, b["key"])); got != want {
			t.Fatalf("the entry is %s, want %s", got, want)
		}
	})
}

// sent returns the JSON of a value as API servers send it.
func sent(t *rapid.T, value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := jsontext.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if data, err = json.Marshal(decoded); err != nil {
		t.Fatal(err)
	}
	return data
}
