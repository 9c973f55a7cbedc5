package refine

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobuffalo/flect"
)

// Identifier turns any name into an identifier in upper camel case: letters and
// digits of ASCII, first an upper-case letter. Other letters are spelled as
// their code point. It never returns an empty string.
func Identifier(name string) string {
	var b strings.Builder
	upper := true
	for _, r := range name {
		switch {
		case r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if b.Len() == 0 && unicode.IsDigit(r) {
				b.WriteByte('N')
			}
			if upper {
				r = unicode.ToUpper(r)
			}
			b.WriteRune(r)
			upper = false
		case r >= utf8.RuneSelf && unicode.IsLetter(r):
			fmt.Fprintf(&b, "U%04X", r)
			upper = true
		default:
			upper = true
		}
	}
	if b.Len() == 0 {
		return "Empty"
	}
	return b.String()
}

// kindOf names a resource type: its parents in the plural, itself in the
// singular. Microsoft.Batch/batchAccounts/pools is BatchAccountsPool.
func kindOf(segments []string) string {
	var b strings.Builder
	for i, s := range segments {
		if i == len(segments)-1 {
			s = singular(s)
		}
		b.WriteString(Identifier(s))
	}
	return b.String()
}

func singular(word string) string {
	s := flect.Singularize(word)
	if s == "" {
		return word
	}
	return s
}

// pluralOf is the lower-case plural of a kind, as in REST paths.
func pluralOf(segments []string) string {
	var b strings.Builder
	for i, s := range segments {
		if i == len(segments)-1 {
			s = flect.Pluralize(singular(s))
		}
		b.WriteString(Identifier(s))
	}
	return strings.ToLower(b.String())
}

// Segments splits a resource type into its provider and its segments.
func Segments(resourceType string) (provider string, segments []string) {
	parts := strings.Split(resourceType, "/")
	return parts[0], parts[1:]
}
