package genruntime_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

func FuzzRecall(f *testing.F) {
	for _, seed := range []string{
		`"a"`, "1", "-0", "1.0", "null", "[]", "[null]", `{"street":"a"}`, `{"former":[{"free":null}]}`, `{"free":1}`, "{", `"\ud800"`,
		`{"height":9007199254740993}`, `{"$propertyBag":{}}`, `{"town":1,"former":[{"a":{}}]}`, `{"":1,"former@":[{"a":{}}]}`, `{"a@v1":1}`, `{"@":1}`,
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

// recallAs checks that an entry that is recalled and stashed again is the same, and that another
// entry stays.
func recallAs[T any](t *testing.T, data []byte) {
	bag := runtime.PropertyBag{"key": runtime.JSON(data)}
	var value T
	if !genruntime.Recall(&bag, "key", &value) {
		if string(bag["key"]) != string(data) || !reflect.ValueOf(&value).Elem().IsZero() {
			t.Errorf("%T: %q was not recalled, but changed something: %v, bag %v", value, data, value, bag)
		}
		return
	}
	genruntime.Stash(&bag, "key", value)
	want, err := jsontext.Parse(data)
	if err != nil {
		t.Fatalf("%T: %q was recalled as %v, but is no JSON: %v", value, data, value, err)
	}
	got, err := jsontext.Parse(bag["key"])
	if err != nil || !jsontext.Matches(got, want) && !isGatheredIn(got, want) {
		t.Errorf("%T: %q was recalled and stashed as %q", value, data, bag["key"])
	}
}

// isGatheredIn is jsontext.Matches for values whose unknown members went to property bags. It moves
// them back under their names first.
func isGatheredIn(got, want any) bool { return jsontext.Matches(scattered(got), scattered(want)) }

func scattered(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range value {
			out[name] = scattered(member)
		}
		if b, ok := out[bag.Name].(map[string]any); ok {
			delete(out, bag.Name)
			for key, member := range b {
				name, _ := bag.KeyMember(key)
				out[name] = member
			}
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i := range value {
			out[i] = scattered(value[i])
		}
		return out
	default:
		return value
	}
}

func FuzzPropertyBag(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1.0}`, `{"a":null}`, `{"<":{"b":[null]},"a":"\u2028"}`, `null`, `[]`, `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var bag runtime.PropertyBag
		if !codec.DecodeStrictly(data, &bag) {
			return
		}
		out, err := jsontext.Marshal(bag)
		if err != nil {
			t.Fatalf("%q was read but cannot be written: %v", data, err)
		}
		var again runtime.PropertyBag
		if !codec.DecodeStrictly(out, &again) {
			t.Fatalf("%q was written as %q, which cannot be read", data, out)
		}
		if diff := cmp.Diff(compacted(t, bag), again); diff != "" {
			t.Errorf("%q: %s", data, diff)
		}
	})
}

func compacted(t *testing.T, bag runtime.PropertyBag) runtime.PropertyBag {
	return genruntime.CloneMapFunc(bag, func(value runtime.JSON) runtime.JSON {
		if value == nil {
			return nil
		}
		data, err := jsontext.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return data
	})
}
