package arm

import (
	"net/http"
	"strings"
	"testing"
)

// TestEntityTags is a table over texts that services return as entity tags. Invalid ones are
// ignored.
func TestEntityTags(t *testing.T) {
	for _, test := range []struct {
		reason, text string
		isTag        bool
	}{
		{"quoted", `"0x8D9"`, true},
		{"weak", `W/"datetime'2026-01-02T03%3A04%3A05.6789Z'"`, true},
		{"without quotes", `6f1a33c2-0000-0100-0000-5e0000000000`, true},
		{"weak, without quotes", `W/1`, true},
		{"a comma between quotes", `"a,b"`, true},
		{"as long as it may be", strings.Repeat("a", longestTag), true},
		{"nothing", ``, false},
		{"an empty one", `""`, false},
		{"any", `*`, false},
		{"weakly any", `W/*`, false},
		{"two", `"a", "b"`, false},
		{"two without quotes", `a,b`, false},
		{"no end", `"a`, false},
		{"no beginning", `a"`, false},
		{"a quote within", `"a"b"`, false},
		{"another header", "\"a\"\r\nX-Evil: 1", false},
		{"a zero byte", "a\x00b", false},
		{"a tabulator", "a\tb", false},
		{"a blank", "a b", false},
		{"what is no UTF-8", "a\xff", false},
		{"letters that no header has", `"ä"`, false},
		{"too long", strings.Repeat("a", longestTag+1), false},
	} {
		if got := entityTag(test.text); (got != "") != test.isTag || test.isTag && got != test.text {
			t.Errorf("%s: got %q", test.reason, got)
		}
	}
	if got := entityTag(" \"a\" "); got != `"a"` {
		t.Errorf("blanks around it: got %q", got)
	}
}

// FuzzEntityTags checks that each entity tag is one header value, and that entityTag does not
// change it again.
func FuzzEntityTags(f *testing.F) {
	f.Add(`W/"a"`)
	f.Fuzz(func(t *testing.T, text string) {
		tag := entityTag(text)
		if entityTag(tag) != tag || tag == "*" {
			t.Errorf("%q becomes %q", text, tag)
		}
		request, err := http.NewRequest(http.MethodPut, "http://127.0.0.1/", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("If-Match", tag)
		var written strings.Builder
		if err := request.Header.Write(&written); err != nil || written.String() != "If-Match: "+tag+"\r\n" {
			t.Errorf("%q is written as %q (%v)", text, written.String(), err)
		}
	})
}
