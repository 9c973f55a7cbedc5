package model

import "testing"

// TestSplitDeprecated checks what is the note of a deprecated property, and that the documentation
// of the property is as before.
func TestSplitDeprecated(t *testing.T) {
	for _, test := range []struct{ text, doc, deprecated string }{
		{"A.\n\nDeprecated: use b.", "A.", "use b."},
		{"A.\n\nB.\n\nDeprecated: use\nb.", "A.\n\nB.", "use\nb."},
		{"Deprecated: use b.", "Deprecated: use b.", ""},
		{"\n\nDeprecated: use b.", "\n\nDeprecated: use b.", ""},
		{"A.\n\nDeprecated: ", "A.\n\nDeprecated: ", ""},
		{"A.\n\nDeprecated: use b.\n\nC.", "A.\n\nDeprecated: use b.\n\nC.", ""},
		{"A. Deprecated: use b.", "A. Deprecated: use b.", ""},
		{"", "", ""},
	} {
		doc, deprecated := SplitDeprecated(test.text)
		if doc != test.doc || deprecated != test.deprecated {
			t.Errorf("%q became %q and %q", test.text, doc, deprecated)
		}
		if again := (&Property{Doc: doc, Deprecated: deprecated}).Documentation(); again != test.text {
			t.Errorf("%q became %q", test.text, again)
		}
	}
}
