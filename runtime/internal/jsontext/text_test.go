package jsontext

import (
	"strings"
	"testing"
)

// FuzzAppendEncoded compares with encoding/json, whose bytes are stored in clusters.
func FuzzAppendEncoded(f *testing.F) {
	for b := range 256 {
		f.Add(string([]byte{'a', byte(b), '"'}))
	}
	for _, seed := range []string{"", "\u2027\u2028\u2029\u202a", "\xff\xfe", "\xe2\x80", "\xed\xa0\x80", "\ufffd", "😀<&>", strings.Repeat(`"\`, 200)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendEncoded([]byte("before"), text); string(got) != "before"+string(want) {
			t.Errorf("%q is written as %s, want %s behind before", text, got, want)
		}
	})
}

// TestTextsOfEscapesTakeTheirLength writes a text with many escapes into one buffer of its length.
func TestTextsOfEscapesTakeTheirLength(t *testing.T) {
	text := strings.Repeat(`"\`, 1<<16)
	for name, write := range map[string]func(out []byte, text string) []byte{"AppendText": AppendText, "AppendEncoded": AppendEncoded} {
		if out := write(nil, text); cap(out) > len(out)*9/8 {
			t.Errorf("%s takes %d bytes for %d", name, cap(out), len(out))
		}
		if got := testing.AllocsPerRun(5, func() { write(nil, text) }); got > 1 {
			t.Errorf("%s allocates %.0f times", name, got)
		}
	}
}
