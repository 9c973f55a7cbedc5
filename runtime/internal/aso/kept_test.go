package aso_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime/internal/aso"
)

type depot struct {
	Spec struct {
		Name    string            `json:"name,omitzero"`
		Rule    rule              `json:"rule,omitzero"`
		ByName  map[string]rule   `json:"byName,omitzero"`
		Strange map[string]string `json:"tags,omitzero"`
	} `json:"spec,omitzero"`
}

type rule struct {
	Name string `json:"name,omitzero"`
}

// read reads a spec of v1storage. There is one API version, which is like the hub.
func read(t testing.TB, spec string) []byte {
	t.Helper()
	r := aso.Reader{Group: "example.com", Version: "v1storage", API: "v1", Hub: "hub", Types: map[string]reflect.Type{"v1": reflect.TypeFor[depot]()}}
	out, err := r.Read(t.Context(), []byte(`{"spec":`+spec+`}`), func(_ context.Context, _, _ string, object []byte) ([]byte, error) { return object, nil })
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(out) {
		t.Fatalf("not JSON: %.300s", out)
	}
	return out
}

// TestKeepEntriesWithOnePath keeps values whose paths, written in one line, would be the same.
func TestKeepEntriesWithOnePath(t *testing.T) {
	for reason, spec := range map[string]string{
		"an entry and a member":            `{"strange":"first","$propertyBag":{"strange":"second"}}`,
		"an entry with dots in its key":    `{"rule":{"$propertyBag":{"x":"first"}},"$propertyBag":{"rule.x":"second"}}`,
		"an entry, and a bag of no object": `{"rule":{"$propertyBag":["first"]},"$propertyBag":{"rule.$propertyBag":"second"}}`,
		"a key with the version":           `{"$propertyBag":{"x":"first","x@v1storage":"second"}}`,
		"a name with dots":                 `{"byName":{"a.b":{"$propertyBag":{"x":"first"}},"a":{"$propertyBag":{"b.x":"second"}}}}`,
		"an object and an entry within":    `{"$propertyBag":{"Rule":"{\"x\":\"first\"}","rule":"second"}}`,
	} {
		if got := string(read(t, spec)); !strings.Contains(got, `"first"`) || !strings.Contains(got, `"second"`) {
			t.Errorf("%s: a value is lost: %s", reason, got)
		}
	}
}

// TestLongNames keeps entries below a long name in a size that grows as that of the object does.
func TestLongNames(t *testing.T) {
	var bag strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&bag, `,"%d":"x"`, i)
	}
	spec := `{"byName":{"` + strings.Repeat("a", 10_000) + `":{"$propertyBag":{` + bag.String()[1:] + `}}}}`
	if got := read(t, spec); len(got) > 3*len(spec) {
		t.Errorf("%d bytes became %d", len(spec), len(got))
	}
}
