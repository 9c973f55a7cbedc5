package genruntime_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

type carrier struct {
	Free runtime.JSON   `json:"free,omitzero"`
	List []runtime.JSON `json:"list,omitzero"`
}

func TestJSONIsKeptVerbatim(t *testing.T) {
	for _, test := range []struct {
		reason, in, out string
	}{
		{"an absent value stays away", `{}`, `{}`},
		{"null reads as absent", `{"free":null}`, `{}`},
		{"numbers keep their spelling", `{"free":1.0}`, `{"free":1.0}`},
		{"and are as long as they like", `{"free":12345678901234567890.10e+2}`, `{"free":12345678901234567890.10e+2}`},
		{"members keep their order, and may be null", `{"free":{"b":null,"a":[null]}}`, `{"free":{"b":null,"a":[null]}}`},
		{"text keeps its escapes", `{"free":"\u00fc\/<&>"}`, `{"free":"\u00fc\/<&>"}`},
		{"elements keep their places", `{"list":[1,null,{}]}`, `{"list":[1,null,{}]}`},
		{"an empty list is not absent", `{"list":[]}`, `{"list":[]}`},
		{"an empty object is not absent", `{"free":{}}`, `{"free":{}}`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var c carrier
			if err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(test.in), &c); err != nil {
				t.Fatal(err)
			}
			out, err := jsontext.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			if string(out) != test.out {
				t.Errorf("written as %s, want %s", out, test.out)
			}
		})
	}
}

func TestJSONIsCopyOfInput(t *testing.T) {
	data := []byte(`{"a":1}`)
	var j runtime.JSON
	if err := j.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	data[1] = 'X'
	if j.String() != `{"a":1}` {
		t.Errorf("it changed to %s with the buffer that it was read from", j)
	}
}

func TestDamagedJSONIsError(t *testing.T) {
	for _, damaged := range []runtime.JSON{runtime.JSON(`{"a"`), runtime.JSON(`1 2`), runtime.JSON(`nul`)} {
		if out, err := json.Marshal(carrier{Free: damaged}); err == nil {
			t.Errorf("%s is written as %s, want an error", damaged, out)
		}
	}
	if out, err := json.Marshal(carrier{Free: runtime.JSON{}}); err != nil || string(out) != `{"free":null}` {
		t.Errorf("no bytes are written as %s, %v, want null", out, err)
	}
}

func TestCopiesOfJSON(t *testing.T) {
	for _, in := range []runtime.JSON{nil, {}, runtime.JSON(`{"a":1}`)} {
		var out runtime.JSON
		in.DeepCopyInto(&out)
		if diff := cmp.Diff(in, out); diff != "" {
			t.Error(diff)
		}
		if len(in) > 0 && &in[0] == &out[0] {
			t.Error("the copy shares memory")
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{"null", "1.0", `{"a":[null,"\u2028<"]}`, ` [ 1 , 2 ] `, `"\ud800"`, "{", ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var c struct{ Free runtime.JSON }
		document := append(append([]byte(`{"Free":`), data...), '}')
		if err := kjson.UnmarshalCaseSensitivePreserveInts(document, &c); err != nil {
			return
		}
		out, err := jsontext.Marshal(c.Free)
		if err != nil {
			t.Fatalf("%q was read but cannot be written: %v", data, err)
		}
		var last struct{ Free json.RawMessage }
		if err := kjson.UnmarshalCaseSensitivePreserveInts(document, &last); err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := json.Compact(&want, last.Free); err != nil {
			t.Fatal(err)
		}
		if want.Len() > 0 && want.String() != string(out) {
			t.Errorf("%q was written as %q", want.String(), out)
		}
	})
}
