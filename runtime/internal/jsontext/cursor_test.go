package jsontext

import (
	"encoding/json"
	rand "math/rand/v2"
	"strings"
	"testing"
)

// TestUnquoted checks that strings have the values that the standard library reads, with any
// escapes.
func TestUnquoted(t *testing.T) {
	pieces := []string{"a", "beef", "plain text", `\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u0041`, `\ud83d\ude42`, `\ud800`, "é", "🙂", "\xff", " "}
	for range 20_000 {
		quoted := `"`
		for range rand.IntN(5) {
			quoted += pieces[rand.IntN(len(pieces))]
		}
		quoted += `"`
		var want string
		if err := json.Unmarshal([]byte(quoted), &want); err != nil {
			t.Fatalf("%s: %v", quoted, err)
		}
		if got := string(Unquoted([]byte(quoted))); got != want {
			t.Errorf("%s is %q, want %q", quoted, got, want)
		}
	}
	for _, none := range []string{"", `"`, `"\"`} {
		if got := Unquoted([]byte(none)); got != nil {
			t.Errorf("%s is %q", none, got)
		}
	}
}

// TestValid compares with the standard library: each byte at each position of a string and
// between tokens, and all truncated texts.
func TestValid(t *testing.T) {
	check := func(text string) {
		if got, want := IsValid([]byte(text)), json.Valid([]byte(text)); got != want {
			t.Errorf("%q is valid JSON: %t, want %t", text, got, want)
		}
	}
	for b := range 256 {
		for before := range 17 {
			check(`"` + strings.Repeat("x", before) + string([]byte{byte(b)}) + strings.Repeat("y", 16-before) + `"`)
		}
		check(string([]byte{byte(b)}) + `[]`)
		check(`["a"` + string([]byte{byte(b)}) + `]`)
		check(`"\` + string([]byte{byte(b)}) + `"`)
		check(`"\u00` + string([]byte{byte(b)}) + `0"`)
		check(`1` + string([]byte{byte(b)}))
	}
	all := `{"a":[1,-0.5e+10,true,false,null,{},[]],"\u00e9\"":"\\\n"}`
	for end := range len(all) {
		check(all[:end])
	}
	check(all)
}

func TestTexts(t *testing.T) {
	for text, want := range map[string]string{
		"":             `""`,
		"plain é":      `"plain é"`,
		"a b\"c":       `"a b\"c"`,
		"\x00 \x1f\n!": `"\u0000 \u001f\n!"`,
		"<a>&é\u2028":  `"\u003ca\u003e\u0026é\u2028"`,
		"\\\xff":       `"\\\ufffd"`,
	} {
		if got := string(AppendText(nil, text)); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	if got := Unquoted([]byte(`""`)); got == nil || len(got) > 0 {
		t.Errorf("an empty text is %q", got)
	}
}
