package terminal_test

import (
	"testing"

	"github.com/stratakube/strata/operator/cluster/internal/terminal"
)

// TestLines has characters that move the cursor, change colors or the direction of text.
func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[31mb": "a [31mb", "a\u009bb": "a b", "a\u202eb": "a b", "über 漢": "über 漢", "a\r\nb\tc": "a \nb c", "\xff": "\ufffd",
	} {
		if got := terminal.Lines(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := terminal.Line("a\nb"); got != "a b" {
		t.Errorf("%q", got)
	}
}
