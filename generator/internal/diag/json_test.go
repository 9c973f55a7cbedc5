package diag_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stratakube/strata/generator/internal/diag"
)

func TestJSONValue(t *testing.T) {
	const body = ` { "a b" : {"c": [ 1 , {"d": null} ,[]]}, "e": "x" } `
	tests := []struct {
		reason, pointer, path string
		stands                string // what begins at the offset; "" for nothing
	}{
		{"the document itself, without the space before it", "", "", `{ "a b"`},
		{"a member's value, not its name", "/a b", `["a b"]`, `{"c"`},
		{"an element", "/a b/c/1", `["a b"].c[1]`, `{"d"`},
		{"a scalar deep inside", "/a b/c/1/d", `["a b"].c[1].d`, `null`},
		{"a list", "/a b/c/2", `["a b"].c[2]`, `[]`},
		{"the last member", "/e", "e", `"x"`},
		{"nothing there", "/f", "f", ""},
		{"below a scalar", "/e/0", "e[0]", ""},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			got := diag.JSONValue("f.json", []byte(body), jsontext.Pointer(tt.pointer))
			if got.File != "f.json" || got.Path != tt.path {
				t.Errorf("at %+v", got)
			}
			if found := got.Offset >= 0; found != (tt.stands != "") || found && !strings.HasPrefix(body[got.Offset:], tt.stands) {
				t.Errorf("at offset %d, want that of %q", got.Offset, tt.stands)
			}
		})
	}
	if got := diag.JSONValue("f.json", []byte(`{"a":`), "/a"); got.Offset != diag.NoOffset {
		t.Errorf("of half a document it is at %d", got.Offset)
	}
}

func TestJSONError(t *testing.T) {
	var into struct{ A []int }
	tests := []struct {
		reason, body string
		offset       int
		path, text   string
	}{
		{"not JSON", `{"A": oops}`, 6, "A", "invalid character 'o' at start of value"},
		{"another type", `{"A": [1, "2"]}`, 10, "A[1]", "wants another type of value"},
		{"cut off", `{"A": [1`, 8, "A", "unexpected EOF"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			err := json.Unmarshal([]byte(tt.body), &into)
			pos, text := diag.JSONError("f.json", []byte(tt.body), err)
			if pos != diag.At("f.json", tt.offset, tt.path) || text != tt.text {
				t.Errorf("%+v: %s", pos, text)
			}
		})
	}
}
