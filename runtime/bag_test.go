package runtime

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
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
		{"an absent text removes its entry", stashing((*string)(nil)), full(), PropertyBag{"other": JSON("2")}},
		{"an absent list does", stashing([]string(nil)), full(), PropertyBag{"other": JSON("2")}},
		{"an absent map does", stashing(map[string]string(nil)), full(), PropertyBag{"other": JSON("2")}},
		{"absent JSON does", stashing(JSON(nil)), full(), PropertyBag{"other": JSON("2")}},
		{"null does", stashing(JSON("null")), full(), PropertyBag{"other": JSON("2")}},
		{"an absent object does", stashing((*address)(nil)), full(), PropertyBag{"other": JSON("2")}},
		{"the last entry leaves no bag", stashing((*string)(nil)), PropertyBag{"key": JSON("1")}, nil},
		{"nothing is taken from no bag", stashing((*string)(nil)), nil, nil},
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
		{"what has no JSON is absent", stashing(new(math.NaN())), full(), PropertyBag{"other": JSON("2")}},
		{"damaged JSON is absent", stashing(&address{Free: JSON("{")}), full(), PropertyBag{"other": JSON("2")}},
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

func TestRecall(t *testing.T) {
	for _, test := range []struct {
		reason string
		entry  string
		recall func(bag *PropertyBag) (any, bool)
		want   any // nil when the entry must stay
	}{
		{"text", `"a"`, recalling[*string], new("a")},
		{"empty text", `""`, recalling[*string], new("")},
		{"text with escapes", `"\u00fc\n\"é"`, recalling[*string], new("ü\n\"é")},
		{"an integer", `-17`, recalling[*int64], new(int64(-17))},
		{"zero", `0`, recalling[*int64], new(int64)},
		{"the largest integer", `9223372036854775807`, recalling[*int64], new(int64(math.MaxInt64))},
		{"a number", `-1.5e3`, recalling[*float64], new(-1500.0)},
		{"a whole number as float64", `2`, recalling[*float64], new(2.0)},
		{"true", `true`, recalling[*bool], new(true)},
		{"false", `false`, recalling[*bool], new(false)},
		{"an empty list", `[]`, recalling[[]string], []string{}},
		{"a list", `["a",""]`, recalling[[]string], []string{"a", ""}},
		{"a list of objects", `[{"number":1}]`, recalling[[]address], []address{{Number: new(int64(1))}}},
		{"an empty map", `{}`, recalling[map[string]string], map[string]string{}},
		{"a list of lists", `[[],["a"]]`, recalling[[][]string], [][]string{{}, {"a"}}},
		{"an empty object", `{}`, recalling[*address], &address{}},
		{"an object with a bag", `{"$propertyBag":{"x":1.0}}`, recalling[*address], &address{PropertyBag: PropertyBag{"x": JSON("1.0")}}},
		{"free JSON", `{"a":[1.0,null]}`, recalling[JSON], JSON(`{"a":[1.0,null]}`)},
		{"null within free JSON", `{"free":{"a":null}}`, recalling[*address], &address{Free: JSON(`{"a":null}`)}},
		{"a null member reads as absent", `{"street":null,"number":1}`, recalling[*address], &address{Number: new(int64(1))}},
		{"an object that keeps other members", `{"name":"a","x":1.0}`, recalling[*open], &open{Name: new("a"), AdditionalProperties: map[string]JSON{"x": JSON("1.0")}}},

		{"null is no value", `null`, recalling[*string], nil},
		{"null is no list", `null`, recalling[[]string], nil},
		{"null is no free JSON", `null`, recalling[JSON], nil},
		{"a number is no text", `1`, recalling[*string], nil},
		{"text is no number", `"1"`, recalling[*int64], nil},
		{"a fraction is no integer", `1.5`, recalling[*int64], nil},
		{"an integer that is spelled as a fraction would lose its spelling", `1.0`, recalling[*int64], nil},
		{"an integer beyond int64", `9223372036854775808`, recalling[*int64], nil},
		{"an integer that float64 cannot hold", `9007199254740993`, recalling[*float64], nil},
		{"a number beyond float64", `1e400`, recalling[*float64], nil},
		{"such integers deep inside", `[{"former":[{"height":9007199254740993}]}]`, recalling[[]address], nil},
		{"an object is no list", `{}`, recalling[[]string], nil},
		{"a list is no object", `[]`, recalling[*address], nil},
		{"a list of another kind", `["a",1]`, recalling[[]string], nil},
		{"a null element would become a value", `["a",null]`, recalling[[]string], nil},
		{"a null entry would become a value", `{"a":null}`, recalling[map[string]string], nil},
		{"an unknown member", `{"street":"a","town":"b"}`, recalling[*address], nil},
		{"an unknown member deep inside", `{"former":[{"town":"b"}]}`, recalling[*address], nil},
		{"a member in another case", `{"Street":"a"}`, recalling[*address], nil},
		{"a member twice", `{"street":"a","street":"b"}`, recalling[*address], nil},
		{"an unknown member in an open object", `{"home":{"town":"b"}}`, recalling[*open], nil},
		{"damaged JSON", `{"street":`, recalling[*address], nil},
		{"damaged text", `"a`, recalling[*string], nil},
		{"a lone quote", `"`, recalling[*string], nil},
		{"a damaged integer", `01`, recalling[*int64], nil},
		{"a sign alone", `-`, recalling[*int64], nil},
		{"nothing", ``, recalling[*string], nil},
	} {
		t.Run(test.reason, func(t *testing.T) {
			before := PropertyBag{"key": JSON(test.entry), "other": JSON("2")}
			bag := before.Clone()
			got, found := test.recall(&bag)
			if test.want == nil {
				if diff := cmp.Diff(before, bag); found || diff != "" {
					t.Errorf("recalled %v as %v, and the bag changed by\n%s", found, got, diff)
				}
				return
			}
			if diff := cmp.Diff(test.want, got); !found || diff != "" {
				t.Errorf("recalled %v\n%s", found, diff)
			}
			if diff := cmp.Diff(PropertyBag{"other": JSON("2")}, bag); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func recalling[T any](bag *PropertyBag) (any, bool) {
	var dst T
	found := Recall(bag, "key", &dst)
	return dst, found
}

func TestRecallWithoutAnEntryChangesNothing(t *testing.T) {
	for _, bag := range []PropertyBag{nil, {}, {"other": JSON("1")}} {
		before, value := bag.DeepCopy(), new("live")
		if Recall(&bag, "key", &value) || *value != "live" {
			t.Errorf("recalled from %v, value %q", bag, *value)
		}
		if diff := cmp.Diff(before, bag); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAFailedRecallKeepsTheLiveValue(t *testing.T) {
	bag, value := PropertyBag{"key": JSON(`["a",1]`)}, []string{"live"}
	if Recall(&bag, "key", &value) || value[0] != "live" {
		t.Errorf("recalled %v", value)
	}
}

func TestPeekLeavesTheEntry(t *testing.T) {
	bag := PropertyBag{"key": JSON("1")}
	var value *int64
	if !Peek(bag, "key", &value) || *value != 1 || len(bag) != 1 {
		t.Errorf("peeked %v, bag %v", value, bag)
	}
	if Peek(bag, "none", &value) {
		t.Error("peeked at an entry that does not exist")
	}
}

func TestTheLastEntryThatIsRecalledLeavesNoBag(t *testing.T) {
	bag := PropertyBag{"key": JSON("1")}
	var value *int64
	if !Recall(&bag, "key", &value) || bag != nil {
		t.Errorf("bag is %v, want nil", bag)
	}
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

func FuzzRecall(f *testing.F) {
	for _, seed := range []string{
		`"a"`, "1", "-0", "1.0", "null", "[]", "[null]", `{"street":"a"}`, `{"former":[{"free":null}]}`, `{"free":1}`, "{", `"\ud800"`,
		`{"height":9007199254740993}`, `{"$propertyBag":{}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		recallAs[*string](t, data)
		recallAs[*int64](t, data)
		recallAs[*float64](t, data)
		recallAs[*bool](t, data)
		recallAs[[]string](t, data)
		recallAs[map[string]*int64](t, data)
		recallAs[*address](t, data)
		recallAs[*open](t, data)
	})
}

// recallAs demands that an entry that is recalled says the same when it is stashed again, and that another stays.
func recallAs[T any](t *testing.T, data []byte) {
	bag := PropertyBag{"key": JSON(data)}
	var value T
	if !Recall(&bag, "key", &value) {
		if string(bag["key"]) != string(data) || !reflect.ValueOf(&value).Elem().IsZero() {
			t.Errorf("%T: %q was not recalled, but changed something: %v, bag %v", value, data, value, bag)
		}
		return
	}
	Stash(&bag, "key", value)
	want, err := parse(data)
	if err != nil {
		t.Fatalf("%T: %q was recalled as %v, but is no JSON: %v", value, data, value, err)
	}
	got, err := parse(bag["key"])
	if err != nil || !says(got, want) {
		t.Errorf("%T: %q was recalled and stashed as %q", value, data, bag["key"])
	}
}

func FuzzPropertyBag(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1.0}`, `{"a":null}`, `{"<":{"b":[null]},"a":"\u2028"}`, `null`, `[]`, `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var bag PropertyBag
		if !decodeStrictly(data, &bag) {
			return
		}
		out, err := marshal(bag)
		if err != nil {
			t.Fatalf("%q was read but cannot be written: %v", data, err)
		}
		var again PropertyBag
		if !decodeStrictly(out, &again) {
			t.Fatalf("%q was written as %q, which cannot be read", data, out)
		}
		if diff := cmp.Diff(compacted(t, bag), again); diff != "" {
			t.Errorf("%q: %s", data, diff)
		}
	})
}

func compacted(t *testing.T, bag PropertyBag) PropertyBag {
	return CloneMapFunc(bag, func(value JSON) JSON {
		if value == nil {
			return nil
		}
		var out strings.Builder
		data, err := marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(data)
		return JSON(out.String())
	})
}
