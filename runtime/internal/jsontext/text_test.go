package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzAppendText compares with encoding/json, whose bytes are stored in clusters.
func FuzzAppendText(f *testing.F) {
	for b := range 256 {
		f.Add(string([]byte{'a', byte(b), '"'}))
	}
	for _, seed := range []string{"", "\u2027\u2028\u2029\u202a", "\xff\xfe", "\xe2\x80", "\xed\xa0\x80", "\ufffd", "😀<&>", strings.Repeat(`"\`, 200)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendText([]byte("before"), text); string(got) != "before"+string(want) {
			t.Errorf("%q is written as %s, want %s behind before", text, got, want)
		}
	})
}

// TestTextsOfEscapesTakeTheirLength writes texts with many escapes into one buffer of their length.
func TestTextsOfEscapesTakeTheirLength(t *testing.T) {
	for _, escaped := range []string{`"\`, "<>&", "\n\t", "\x00\x1f", "<é"} {
		text := strings.Repeat(escaped, 1<<16)
		if out := AppendText(nil, text); cap(out) > len(out)*9/8 {
			t.Errorf("the text of %q takes %d bytes for %d", escaped, cap(out), len(out))
		}
		if got := testing.AllocsPerRun(5, func() { AppendText(nil, text) }); got > 1 {
			t.Errorf("the text of %q is allocated %.0f times", escaped, got)
		}
	}
}
