package jsontext

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPlainTextIsUnquoted reads strings in every way, with any text behind them. All must find the
// same value and the same end.
func TestPlainTextIsUnquoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inner := rapid.SliceOf(rapid.SampledFrom([]string{"a", "bcdefgh", " ", "é", `\"`, `\\`, `\n`, "\u2028", `\u00e9`, "/", "0123456789abcdef"})).Draw(t, "text")
		quoted := `"` + strings.Join(inner, "") + `"`
		c := Cursor{Data: []byte(" " + quoted + rapid.SampledFrom([]string{"", ",", `:"x"`, "  }}}}}}}"}).Draw(t, "rest"))}
		want := string(Unquoted([]byte(quoted)))
		if text, ok := c.PlainText(); ok != IsPlain(quoted[1:len(quoted)-1]) || ok && (string(text) != want || c.At != 1+len(quoted)) || !ok && c.At != 1 {
			t.Fatalf("%s is %q at %d: %t", quoted, text, c.At, ok)
		}
		var room [24]byte
		if got := string(UnquotedIn(room[:0], []byte(quoted))); got != want {
			t.Fatalf("%s is %q, want %q", quoted, got, want)
		}
	})
}

func TestPlainTextRefusesOtherValues(t *testing.T) {
	for _, text := range []string{``, `"`, `"abc`, `"abcdefghijklm`, "\"a\nb\"", "\"abcdefgh\n\"", `1`, `{"a":1}`, `"abcdefgh\`} {
		c := Cursor{Data: []byte(text)}
		if got, ok := c.PlainText(); ok || c.At != 0 {
			t.Errorf("%q is read as %q, to %d", text, got, c.At)
		}
	}
}

func TestShortIntegers(t *testing.T) {
	for _, text := range []string{`0`, `-0`, `7`, `-7`, `10`, `999999999999999999`, `-999999999999999999`} {
		want, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, rest := range []string{"", ",", "}", " "} {
			c := Cursor{Data: []byte(" " + text + rest)}
			if n, ok := c.ShortInteger(); !ok || n != want || c.At != 1+len(text) {
				t.Errorf("%s%s is %d to %d: %t", text, rest, n, c.At, ok)
			}
		}
	}
	for _, text := range []string{``, `-`, `00`, `01`, `-01`, `1.0`, `1e2`, `1E2`, `1000000000000000000`, `a`, `"1"`, `+1`} {
		c := Cursor{Data: []byte(text)}
		if n, ok := c.ShortInteger(); ok || c.At != 0 {
			t.Errorf("%s is read as %d, to %d", text, n, c.At)
		}
	}
}

// TestJumpsOfMembers finds the ends of members of an object in a longer text.
func TestJumpsOfMembers(t *testing.T) {
	const before, object = `{"spec":`, `{"a":{"b":1}, "c" : [ 2 ],"d":"text"}`
	at := func(text string) Range {
		start := strings.Index(object, text)
		return Range{len(before) + start, len(before) + start + len(text)}
	}
	data := []byte(object)
	j := JumpsOf(data, len(before), []Range{at(`"a":{"b":1}`), at(`, "c" : [ 2 ]`), at(`,"d":"text"`)})
	for value, want := range map[string]int{`{"b":1}`: len(`{"b":1}`), `[ 2 ]`: len(`[ 2 ]`), `"text"`: 0, `{"a"`: 0} {
		start := strings.Index(object, value)
		if want > 0 {
			want += start
		}
		if got := j.end(data, start); got != want {
			t.Errorf("%s ends at %d, want %d", value, got, want)
		}
	}
}
