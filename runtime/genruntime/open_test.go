package genruntime_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// open is an open object as strata generates it.
type open struct {
	Name                 *string                 `json:"name,omitzero"`
	Home                 *address                `json:"home,omitzero"`
	AdditionalProperties map[string]runtime.JSON `json:"-"`
}

func (o open) MarshalJSON() ([]byte, error) {
	type fixed open
	return genruntime.MarshalOpen(fixed(o), o.AdditionalProperties)
}

func (o *open) UnmarshalJSON(data []byte) error {
	type fixed open
	return genruntime.UnmarshalOpen(data, (*fixed)(o), &o.AdditionalProperties, "name", "home")
}

// counts is an open object whose other members are integers.
type counts struct {
	Unit                 *string          `json:"unit,omitzero"`
	AdditionalProperties map[string]int64 `json:"-"`
}

func (c counts) MarshalJSON() ([]byte, error) {
	type fixed counts
	return genruntime.MarshalOpen(fixed(c), c.AdditionalProperties)
}

func (c *counts) UnmarshalJSON(data []byte) error {
	type fixed counts
	return genruntime.UnmarshalOpen(data, (*fixed)(c), &c.AdditionalProperties, "unit")
}

func TestMarshalOpen(t *testing.T) {
	for _, test := range []struct {
		reason string
		in     any
		want   string
	}{
		{"nothing", open{}, `{}`},
		{"known members alone", open{Name: new("a")}, `{"name":"a"}`},
		{"additional members alone, sorted", open{AdditionalProperties: map[string]runtime.JSON{"b": runtime.JSON("2"), "a": runtime.JSON("1")}}, `{"a":1,"b":2}`},
		{"known members first", open{Name: new("z"), AdditionalProperties: map[string]runtime.JSON{"a": runtime.JSON("1")}}, `{"name":"z","a":1}`},
		{"a known member is not written twice", open{Name: new("z"), AdditionalProperties: map[string]runtime.JSON{"name": runtime.JSON("1")}}, `{"name":"z"}`},
		{"a known member that is absent leaves its name free", open{AdditionalProperties: map[string]runtime.JSON{"name": runtime.JSON(`"a"`)}}, `{"name":"a"}`},
		{"names have the escapes of API servers", open{AdditionalProperties: map[string]runtime.JSON{"\"<\n": runtime.JSON("1")}}, `{"\"\u003c\n":1}`},
		{"no name is a name", open{AdditionalProperties: map[string]runtime.JSON{"": runtime.JSON("1")}}, `{"":1}`},
		{"free JSON stays verbatim", open{AdditionalProperties: map[string]runtime.JSON{"a": runtime.JSON(`"<\u00e9>"`)}}, `{"a":"<\u00e9>"}`},
		{"and may be null", open{AdditionalProperties: map[string]runtime.JSON{"a": nil}}, `{"a":null}`},
		{"typed members", counts{AdditionalProperties: map[string]int64{"a": 0, "b": 1<<53 + 1}}, `{"a":0,"b":9007199254740993}`},
		{"within others", []open{{AdditionalProperties: map[string]runtime.JSON{"a": runtime.JSON("1.0")}}}, `[{"a":1.0}]`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := jsontext.Marshal(test.in)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("written as %s, want %s", got, test.want)
			}
		})
	}
}

func TestUnmarshalOpen(t *testing.T) {
	for _, test := range []struct {
		reason, in string
		want       open
	}{
		{"nothing", `{}`, open{}},
		{"no additional members leave no map", `{"name":"a"}`, open{Name: new("a")}},
		{"others are additional", `{"x":1.0,"name":"a"}`, open{Name: new("a"), AdditionalProperties: map[string]runtime.JSON{"x": runtime.JSON("1.0")}}},
		{"names that differ by case do", `{"Name":"b","NAME":1,"name":"a"}`, open{Name: new("a"), AdditionalProperties: map[string]runtime.JSON{"Name": runtime.JSON(`"b"`), "NAME": runtime.JSON("1")}}},
		{"null is free JSON too", `{"x":null}`, open{AdditionalProperties: map[string]runtime.JSON{"x": nil}}},
		{"a known null is absent", `{"name":null}`, open{}},
		{"of a member that stands twice the last counts", `{"x":1,"x":2}`, open{AdditionalProperties: map[string]runtime.JSON{"x": runtime.JSON("2")}}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var got open
			if err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(test.in), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnmarshalOpenOfTypedMembers(t *testing.T) {
	var got counts
	if err := got.UnmarshalJSON([]byte(`{"unit":"m","a":1,"b":null}`)); err != nil {
		t.Fatal(err)
	}
	want := counts{Unit: new("m"), AdditionalProperties: map[string]int64{"a": 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestUnmarshalOpenForgetsEarlierMembers(t *testing.T) {
	got := open{AdditionalProperties: map[string]runtime.JSON{"old": runtime.JSON("1")}}
	if err := got.UnmarshalJSON([]byte(`{"new":2}`)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]runtime.JSON{"new": runtime.JSON("2")}, got.AdditionalProperties); diff != "" {
		t.Error(diff)
	}
}

func TestErrorsOfOpenObjects(t *testing.T) {
	var c counts
	for _, test := range []struct {
		reason, in, want string
	}{
		{"the first of the wrong members is named", `{"z":"x","b":"x","a":1}`, "field .z of type int64"},
		{"a list is no object", `[]`, "cannot unmarshal array"},
		{"a known member of the wrong kind", `{"unit":1}`, "cannot unmarshal number"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			err := c.UnmarshalJSON([]byte(test.in))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %s", err, test.want)
			}
		})
	}
	if _, err := genruntime.MarshalOpen("text", map[string]int64{"a": 1}); err == nil {
		t.Error("text takes members")
	}
	if _, err := genruntime.MarshalOpen(open{}, map[string]runtime.JSON{"a": runtime.JSON("{")}); err == nil || !strings.Contains(err.Error(), `member "a"`) {
		t.Errorf("error is %v, want one that names the damaged member", err)
	}
}

func TestOpenObjectsSurviveJSON(t *testing.T) {
	names := rapid.StringN(0, 6, -1).Filter(func(s string) bool { return s != "name" && s != "home" })
	values := rapid.SampledFrom([]runtime.JSON{runtime.JSON("1.0"), runtime.JSON("[null]"), runtime.JSON(`"<"`), runtime.JSON(`{"b":1,"a":2}`), nil})
	rapid.Check(t, func(t *rapid.T) {
		in := open{Name: rapid.Ptr(names, true).Draw(t, "name")}
		if additional := rapid.MapOfN(names, values, 0, 4).Draw(t, "additional"); len(additional) > 0 {
			in.AdditionalProperties = additional
		}
		data, err := jsontext.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var out open
		if !codec.DecodeStrictly(data, &out) {
			t.Fatalf("%s cannot be read", data)
		}
		if diff := cmp.Diff(in, out); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzUnmarshalOpen(f *testing.F) {
	for _, seed := range []string{`{}`, `{"name":"a","x":1.0}`, `{"Name":null,"name":null}`, `{"home":{"former":[{}]}}`, `{"":{}}`, `null`, `[]`, `{"a":1,"a":2}`, `{`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second open
		if first.UnmarshalJSON(data) != nil {
			return
		}
		written, err := jsontext.Marshal(first)
		if err != nil {
			t.Fatalf("%q was read but cannot be written: %v", data, err)
		}
		if err := second.UnmarshalJSON(written); err != nil {
			t.Fatalf("%q was written as %q, which cannot be read: %v", data, written, err)
		}
		again, err := jsontext.Marshal(second)
		if err != nil || string(again) != string(written) {
			t.Errorf("%q was written as %q, and then as %q, %v", data, written, again, err)
		}
	})
}
