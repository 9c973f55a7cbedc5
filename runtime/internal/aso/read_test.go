package aso_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/aso"
)

// The types of two API versions. The later is like the hub.
type (
	earlyShop struct {
		Spec struct {
			Title *string               `json:"title,omitzero"`
			Count *int64                `json:"count,omitzero"`
			Rate  *float64              `json:"rate,omitzero"`
			Open  *bool                 `json:"open,omitzero"`
			Names []string              `json:"names,omitzero"`
			Rules []shopRule            `json:"rules,omitzero"`
			Map   map[string]string     `json:"map,omitzero"`
			Rule  *shopRule             `json:"rule,omitzero"`
			DNS   *string               `json:"dns,omitzero"`
			Odd   *string               `json:"Odd,omitzero"`
			TwoA  *string               `json:"twoa,omitzero"`
			TwoB  *string               `json:"twoA,omitzero"`
			Grid  map[string][]shopRule `json:"grid,omitzero"`
			Free  runtime.JSON          `json:"free,omitzero"`
		} `json:"spec,omitzero"`
		Status struct {
			State       *string `json:"state,omitzero"`
			PropertyBag *string `json:"propertyBag,omitzero"`
		} `json:"status,omitzero"`
	}
	lateShop struct {
		Spec struct {
			Name  *string               `json:"name,omitzero"`
			Rules []lateRule            `json:"rules,omitzero"`
			Rule  *lateRule             `json:"rule,omitzero"`
			Grid  map[string][]lateRule `json:"grid,omitzero"`
		} `json:"spec,omitzero"`
		Status struct {
			State       *string `json:"state,omitzero"`
			PropertyBag *string `json:"propertyBag,omitzero"`
		} `json:"status,omitzero"`
	}
	shopRule struct {
		Port *int64  `json:"port,omitzero"`
		Note *string `json:"note,omitzero"`
	}
	lateRule struct {
		Port *int64 `json:"port,omitzero"`
	}
)

func shops() aso.Reader {
	return aso.Reader{
		Group: "example.com", Version: "v2aso", API: "v2", Hub: "hub",
		Types: map[string]reflect.Type{"v1": reflect.TypeFor[earlyShop](), "v2": reflect.TypeFor[lateShop]()},
	}
}

// unchanged converts by a change of apiVersion: all versions and the hub show the same members.
func unchanged(_ context.Context, from, to string, object []byte) ([]byte, error) {
	return bytes.Replace(object, []byte("example.com/"+from+`"`), []byte("example.com/"+to+`"`), 1), nil
}

// TestInsert reads entries of bags as properties of the earlier version, where they have its types.
// Kept are the entries that stay in the bag, below $propertyBag@v2aso.
func TestInsert(t *testing.T) {
	for _, test := range []struct{ reason, spec, want, kept string }{
		{"a text", `"$propertyBag":{"Title":"5"}`, `"title":"5"`, ``},
		{"an empty text", `"$propertyBag":{"Title":""}`, `"title":""`, ``},
		{"an integer", `"$propertyBag":{"Count":"5"}`, `"count":5`, ``},
		{"no integer", `"$propertyBag":{"Count":"5.5"}`, ``, `"$propertyBag":{"Count":"5.5"}`},
		{"a number", `"$propertyBag":{"Rate":"-5.5"}`, `"rate":-5.5`, ``},
		{"a number of the first digit", `"$propertyBag":{"Rate":"0"}`, `"rate":0`, ``},
		{"a number of the last digit", `"$propertyBag":{"Rate":"9"}`, `"rate":9`, ``},
		{"no number", `"$propertyBag":{"Rate":"true"}`, ``, `"$propertyBag":{"Rate":"true"}`},
		{"a text is no number", `"$propertyBag":{"Rate":"\"1\""}`, ``, `"$propertyBag":{"Rate":"\"1\""}`},
		{"true", `"$propertyBag":{"Open":"true"}`, `"open":true`, ``},
		{"false", `"$propertyBag":{"Open":"false"}`, `"open":false`, ``},
		{"neither", `"$propertyBag":{"Open":"1"}`, ``, `"$propertyBag":{"Open":"1"}`},
		{"a list", `"$propertyBag":{"Names":"[\"a\"]"}`, `"names":["a"]`, ``},
		{"no list", `"$propertyBag":{"Names":"{}"}`, ``, `"$propertyBag":{"Names":"{}"}`},
		{"a map", `"$propertyBag":{"Map":"{\"a\":\"b\"}"}`, `"map":{"a":"b"}`, ``},
		{"no map", `"$propertyBag":{"Map":"[]"}`, ``, `"$propertyBag":{"Map":"[]"}`},
		{"an object", `"$propertyBag":{"Rule":"{\"port\":1}"}`, `"rule":{"port":1}`, ``},
		{"no object", `"$propertyBag":{"Rule":"[]"}`, ``, `"$propertyBag":{"Rule":"[]"}`},
		{"a null", `"$propertyBag":{"Rule":"null"}`, ``, `"$propertyBag":{"Rule":"null"}`},
		{"free JSON", `"$propertyBag":{"Free":"[1]"}`, `"free":[1]`, ``},
		{"a null of free JSON", `"$propertyBag":{"Free":"null"}`, ``, `"$propertyBag":{"Free":"null"}`},
		{"white space", `"$propertyBag":{"Rule":" { } "}`, `"rule":{}`, ``},
		{"white space within", `"$propertyBag":{"Rule":"{ \"port\" : 1 }"}`, `"rule":{"port":1}`, ``},
		{"upper-case letters", `"$propertyBag":{"DNS":"a"}`, `"dns":"a"`, ``},
		{"a name as it is", `"$propertyBag":{"Odd":"a"}`, `"Odd":"a"`, ``},
		{"a name that could be two", `"$propertyBag":{"TWOA":"a"}`, ``, `"$propertyBag":{"TWOA":"a"}`},
		{"an empty key", `"$propertyBag":{"":"a"}`, ``, `"$propertyBag":{"":"a"}`},
		{"no text", `"$propertyBag":{"Count":5}`, ``, `"$propertyBag":{"Count":5}`},
		{"a live value has precedence", `"name":"x","$propertyBag":{"Name":"y"}`, `"name":"x"`, `"$propertyBag":{"Name":"y"}`},
		{"in an element", `"rules":[{"port":1},{"$propertyBag":{"Note":"n"}}]`, `"rules":[{"port":1},{"note":"n"}]`, ``},
		{"in several elements", `"rules":[{"$propertyBag":{"Note":"a","X":"1"}},{},{"$propertyBag":{"Note":"b"}}]`, `"rules":[{"note":"a"},{},{"note":"b"}]`,
			`"rules":{"[0]":{"$propertyBag":{"X":"1"}}}`},
		{"in lists in a map", `"grid":{"a":[{}],"b":[{"$propertyBag":{"Note":"n"}}]}`, `"grid":{"a":[{}],"b":[{"note":"n"}]}`, ``},
		{"in an entry", `"$propertyBag":{"Rule":"{\"$propertyBag\":{\"Note\":\"n\",\"Port\":\"3\"}}"}`, `"rule":{"note":"n","port":3}`, ``},
		{"a member that the type lacks", `"strange":1`, ``, `"strange":1`},
		{"a member that another version has", `"count":1`, `"count":1`, ``},
		{"a text that another version has", `"title":"5"`, `"title":"5"`, ``},
		{"a member of another type", `"count":"1"`, ``, `"count":"1"`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			r := shops()
			got, err := r.Read(t.Context(), []byte(`{"apiVersion":"example.com/v2aso","spec":{"originalVersion":"v1",`+test.spec+`},"status":{}}`), unchanged)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{`"originalVersion":"v1"`}
			if test.want != "" {
				want = append(want, test.want)
			}
			if test.kept != "" {
				want = append(want, `"$propertyBag":{"$propertyBag@v2aso":{`+test.kept+`}}`)
			}
			checkJSON(t, `{"apiVersion":"example.com/hub","spec":{`+strings.Join(want, ",")+`},"status":{}}`, withoutNulls(t, got))
		})
	}
}

// withoutNulls removes the null that protects the status from forged values.
func withoutNulls(t *testing.T, object []byte) string {
	t.Helper()
	return strings.Replace(string(object), `"status":{"propertyBag":null}`, `"status":{}`, 1)
}

func checkJSON(t *testing.T, want, got string) {
	t.Helper()
	var w, g any
	if err := errors.Join(json.Unmarshal([]byte(want), &w), json.Unmarshal([]byte(got), &g)); err != nil {
		t.Fatalf("%v\n%s\n%s", err, want, got)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOrderOfVersions reads entries in the original version first, then in the others from the
// latest, and in the version of the object last. Versions without a property for an entry are not
// asked, and those that set none are not written.
func TestOrderOfVersions(t *testing.T) {
	shop := reflect.TypeFor[earlyShop]()
	r := shops()
	r.Types = map[string]reflect.Type{"v1": shop, "v2": shop, "v3": shop, "v4": shop, "v5": reflect.TypeFor[lateShop]()}
	for original, want := range map[string]string{
		"v3": "v2>hub hub>v3 hub>v4 hub>v1 hub>v2",
		"v9": "v2>hub hub>v4 hub>v3 hub>v1 hub>v2",
		"v2": "v2>hub hub>v4 hub>v3 hub>v1 hub>v2",
		"v1": "v2>hub hub>v1 hub>v4 hub>v3 hub>v2",
	} {
		var calls []string
		_, err := r.Read(t.Context(), []byte(`{"apiVersion":"example.com/v2aso","spec":{"originalVersion":"`+original+`","$propertyBag":{"Count":"x"}}}`),
			func(ctx context.Context, from, to string, object []byte) ([]byte, error) {
				calls = append(calls, from+">"+to)
				return unchanged(ctx, from, to, object)
			})
		if got := strings.Join(calls, " "); err != nil || got != want {
			t.Errorf("%s: %s, want %s (%v)", original, got, want, err)
		}
	}
}

// TestOriginalVersions checks which originalVersion counts: one that can be the name of a version.
func TestOriginalVersions(t *testing.T) {
	long := strings.Repeat("v", 63)
	for value, is := range map[string]bool{
		`"v1"`: true, `"v20200101preview"`: true, `"` + long + `"`: true,
		`"` + long + `v"`: false, `""`: false, `"V1"`: false, `"a|b"`: false, `7`: false, `{"a":1}`: false, `"a b"`: false,
	} {
		r := shops()
		out, err := r.Read(t.Context(), []byte(`{"apiVersion":"example.com/v2aso","spec":{"originalVersion":`+value+`}}`), unchanged)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"apiVersion":"example.com/hub","spec":{"originalVersion":` + value + `}}`
		if !is {
			want = `{"apiVersion":"example.com/hub","spec":{"$propertyBag":{"$propertyBag@v2aso":{"originalVersion":` + value + `}}}}`
		}
		checkJSON(t, want, string(out))
	}
}

// TestVersionsWithoutOriginalVersion converts an object through API versions, which have no
// originalVersion. A read stores the one that the first conversion sets, whatever edits in other
// versions set, and a write stores that of the hub.
func TestVersionsWithoutOriginalVersion(t *testing.T) {
	via := func(ctx context.Context, from, to string, object []byte) ([]byte, error) {
		if to == "hub" {
			object = bytes.Replace(object, []byte(`"spec":{`), []byte(`"spec":{"originalVersion":"`+from+`",`), 1)
		} else {
			object = regexp.MustCompile(`"originalVersion":"[^"]*",`).ReplaceAll(object, nil)
		}
		return unchanged(ctx, from, to, object)
	}
	r := shops()
	hub, err := r.Read(t.Context(), []byte(`{"apiVersion":"example.com/v2aso","spec":{"name":"a","$propertyBag":{"Count":"5"}}}`), via)
	if err != nil {
		t.Fatal(err)
	}
	checkJSON(t, `{"apiVersion":"example.com/hub","spec":{"originalVersion":"v2","count":5,"name":"a"}}`, string(hub))
	out, err := r.Write(t.Context(), []byte(`{"apiVersion":"example.com/hub","spec":{"originalVersion":"v1","name":"a"}}`), via)
	if err != nil {
		t.Fatal(err)
	}
	checkJSON(t, `{"apiVersion":"example.com/v2aso","spec":{"name":"a","originalVersion":"v1"}}`, string(out))
}

// TestStatus keeps a status of a client from being read as hidden values.
func TestStatus(t *testing.T) {
	for status, want := range map[string]string{
		`{"state":"a"}`:                              `{"state":"a"}`,
		`{"state":"a","propertyBag":"{}"}`:           `{"state":"a","$propertyBag":{"$propertyBag@v2aso":{"propertyBag":"{}"}}}`,
		`{"$propertyBag":{"PropertyBag":"{}"}}`:      `{"$propertyBag":{"$propertyBag@v2aso":{"$propertyBag":{"PropertyBag":"{}"}}}}`,
		`{"state":"a","$propertyBag":{"State":"b"}}`: `{"state":"a","$propertyBag":{"$propertyBag@v2aso":{"$propertyBag":{"State":"b"}}}}`,
		`[1]`: `[1]`,
	} {
		r := shops()
		out, err := r.Read(t.Context(), []byte(`{"apiVersion":"example.com/v2aso","spec":{},"status":`+status+`}`), unchanged)
		if err != nil {
			t.Fatal(err)
		}
		checkJSON(t, `{"apiVersion":"example.com/hub","spec":{},"status":`+want+`}`, string(out))
	}
}

// TestWrite writes the original version of the hub, and no hidden values.
func TestWrite(t *testing.T) {
	for hub, want := range map[string]string{
		`"spec":{"name":"a","originalVersion":"v1"},"status":{"state":"b","propertyBag":"{}"}`: `"spec":{"name":"a","originalVersion":"v1"},"status":{"state":"b"}`,
		`"spec":{"name":"a"},"status":{"state":"b"}`:                                           `"spec":{"name":"a"},"status":{"state":"b"}`,
		`"status":{"propertyBag":"{}"}`:                                                        `"status":{}`,
		`"spec":5`:                                                                             `"spec":5`,
		`"metadata":{}`:                                                                        `"metadata":{}`,
	} {
		r := shops()
		out, err := r.Write(t.Context(), []byte(`{"apiVersion":"example.com/hub",`+hub+`}`), unchanged)
		if err != nil {
			t.Fatal(err)
		}
		checkJSON(t, `{"apiVersion":"example.com/v2aso",`+want+`}`, string(out))
	}
}

// TestErrors checks that each conversion that fails ends the work with its error, and that only
// objects are read and written.
func TestErrors(t *testing.T) {
	r := shops()
	object := []byte(`{"apiVersion":"example.com/v2aso","spec":{"$propertyBag":{"Count":"5"}}}`)
	for fails := 1; ; fails++ {
		calls := 0
		_, err := r.Read(t.Context(), object, func(ctx context.Context, from, to string, object []byte) ([]byte, error) {
			if calls++; calls == fails {
				return nil, fmt.Errorf("call %d", calls)
			}
			return unchanged(ctx, from, to, object)
		})
		if calls < fails {
			if err != nil || fails != 4 {
				t.Errorf("%d conversions: %v", calls, err)
			}
			break
		}
		if err == nil || err.Error() != fmt.Sprintf("call %d", fails) {
			t.Errorf("conversion %d fails: %v", fails, err)
		}
	}
	broken := errors.New("broken")
	if _, err := r.Write(t.Context(), object, func(context.Context, string, string, []byte) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := r.Read(t.Context(), []byte("[]"), unchanged); err == nil {
		t.Error("a list is read")
	}
	if _, err := r.Write(t.Context(), []byte("[]"), unchanged); err == nil {
		t.Error("a list is written")
	}
}
