package redaction_test

import (
	"testing"

	"github.com/stratakube/strata/operator/plugin/redaction"
)

// TestRemove is a table over messages that repeat a secret.
func TestRemove(t *testing.T) {
	for _, test := range []struct{ reason, secret, text, want string }{
		{"as it is", "hunter2", "not hunter2, hunter2!", "not ***, ***!"},
		{"without the blanks around it", "  hunter2\n", "not hunter2", "not ***"},
		{"as a part of JSON", "a\"b\n<c>", `{"x":"a\"b\n<c>"}`, `{"x":"***"}`},
		{"as JSON within HTML", "a\"b\n<c>", `{"x":"a\"b\n\u003cc\u003e"}`, `{"x":"***"}`},
		{"that ends in a quotation mark", `the "x"`, `not "the \"x\""`, `not "***"`},
		{"as the JSON of .NET", "ab+/\"c\n\té😀==", `"ab\u002B/\u0022c\n\t\u00E9\uD83D\uDE00=="`, `"***"`},
		{"in a query", "ab+/c==", "GET /x?sig=ab%2B%2Fc%3D%3D&y", "GET /x?sig=***&y"},
		{"in a path", "ab+/c d", "GET /x/ab+%2Fc%20d/y", "GET /x/***/y"},
		{"that is too short", "abc", "abc", "abc"},
		{"that is longer than the text", "hunter2", "hunter", "hunter"},
	} {
		if got := redaction.Remove(test.text, "***", []byte(test.secret)); got != test.want {
			t.Errorf("a secret %s: %q, want %q", test.reason, got, test.want)
		}
	}
}

// TestRemoveOfSeveral removes a secret before one that is a part of it.
func TestRemoveOfSeveral(t *testing.T) {
	if got := redaction.Remove("hunter2000 and hunter", "***", []byte("hunter"), []byte("hunter2000")); got != "*** and ***" {
		t.Errorf("it is %q", got)
	}
}
