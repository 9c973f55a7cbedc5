package fieldpath_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/plugin/fieldpath"
)

func object(t *testing.T, text string) (o map[string]any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

func encoded(t *testing.T, value any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func TestSet(t *testing.T) {
	tests := []struct{ reason, object, path, want, err string }{
		{"a member", `{"a":1}`, "b", `{"a":1,"b":"v"}`, ""},
		{"instead of a member", `{"a":1}`, "a", `{"a":"v"}`, ""},
		{"below what is not there", `{}`, `a["b.c"].d`, `{"a":{"b.c":{"d":"v"}}}`, ""},
		{"in an element", `{"a":[{"b":1},{}]}`, "a[1].b", `{"a":[{"b":1},{"b":"v"}]}`, ""},
		{"instead of null", `{"a":null}`, "a.b", `{"a":{"b":"v"}}`, ""},
		{"numbers keep their digits", `{"n":12345678901234567890.10}`, "a", `{"a":"v","n":12345678901234567890.10}`, ""},
		{"letters stay as they are", `{"n":"<&>"}`, "a", `{"a":"v","n":"<&>"}`, ""},
		{"an element that is not there", `{"a":[]}`, "a[0]", "", "there is no element [0], the array has 0"},
		{"an element of what is not there", `{}`, "a[0]", "", "there is no element [0]"},
		{"below a scalar", `{"a":1}`, "a.b", "", "b is below a value that has no members"},
		{"a member of an array", `{"a":[]}`, "a.b", "", "b is asked for where an array is"},
		{"an element of an object", `{"a":{}}`, "a[0]", "", "[0] is asked for where an object is"},
	}
	for _, test := range tests {
		o := object(t, test.object)
		path, err := fieldpath.Parse(test.path)
		if err != nil {
			t.Fatal(err)
		}
		err = fieldpath.Set(o, path, "v")
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: got %v, want %s", test.reason, err, test.err)
			}
			continue
		}
		if got := encoded(t, o); err != nil || got != test.want {
			t.Errorf("%s: got %s, %v, want %s", test.reason, got, err, test.want)
		}
		if value, ok := fieldpath.Get(o, path); !ok || value != "v" {
			t.Errorf("%s: got %v back", test.reason, value)
		}
	}
}

func TestPathsThatAreNone(t *testing.T) {
	for _, text := range []string{"", ".", "a.", ".a", "a..b", "a[", "a[x]", "a[-1]", `a[""]`, `a["b]`, "a]b", "a b", "a()", "a[0]b", strings.Repeat("a.", 101) + "a"} {
		if path, err := fieldpath.Parse(text); err == nil {
			t.Errorf("%.20q was read as %q", text, path)
		}
	}
}

func TestGet(t *testing.T) {
	o := object(t, `{"a":{"b.c":[{"d":"v"},null]},"":1}`)
	for text, want := range map[string]any{`a["b.c"][0].d`: "v", `a["b.c"][1]`: nil} {
		path, err := fieldpath.Parse(text)
		if got, ok := fieldpath.Get(o, path); err != nil || !ok || got != want {
			t.Errorf("%s: got %v, %t (%v)", text, got, ok, err)
		}
	}
	for _, text := range []string{"b", "a.b", `a["b.c"].d`, `a["b.c"][2]`, `a["b.c"][1].d`, "a[0]"} {
		path, err := fieldpath.Parse(text)
		if got, ok := fieldpath.Get(o, path); err != nil || ok {
			t.Errorf("%s: got %v (%v)", text, got, err)
		}
	}
}

func TestRemove(t *testing.T) {
	o := object(t, `{"a":{"b":1,"c":[1]},"d":2}`)
	for _, text := range []string{"a.b", "a.c[0]", "x.y", "d"} {
		path, err := fieldpath.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		fieldpath.Remove(o, path)
	}
	if got := encoded(t, o); got != `{"a":{"c":[1]}}` {
		t.Errorf("left is %s", got)
	}
}

func FuzzPath(f *testing.F) {
	f.Add(`a.b[0]["c.d"]`)
	f.Fuzz(func(t *testing.T, text string) {
		path, err := fieldpath.Parse(text)
		if err != nil {
			return
		}
		again, err := fieldpath.Parse(path.String())
		if err != nil || !reflect.DeepEqual(path, again) {
			t.Errorf("%q became %q, then %v, %v", text, path, again, err)
		}
	})
}
