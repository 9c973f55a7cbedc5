package refine

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Identifier converts any name to an identifier in upper camel case, of ASCII letters and digits.
// Latin, Greek and Cyrillic letters become the ASCII letters that are closest, and other letters
// their code points. The result is never empty, and Identifier returns its own results unchanged.
func Identifier(name string) string {
	id, _ := spell(name)
	return id
}

// IsSpelled reports whether [Identifier] has letters for all letters of a name, and no code points.
func IsSpelled(name string) bool {
	isASCII := true
	for i := range len(name) {
		isASCII = isASCII && name[i] < utf8.RuneSelf
	}
	if isASCII {
		return true
	}
	_, ok := spell(name)
	return ok
}

// Names are the identifiers that the user has chosen, by name.
type Names map[string]string

// Identifier returns the identifier that the user has chosen for a name, or else that of
// [Identifier].
func (n Names) Identifier(name string) string {
	if id, ok := n[name]; ok {
		return id
	}
	return Identifier(name)
}

// spell returns the identifier of a name. It reports false if a letter became its code point.
func spell(name string) (id string, isSpelled bool) {
	if isPlain(name) {
		return strings.ToUpper(name[:1]) + name[1:], true
	}
	isSpelled = true
	var b strings.Builder
	b.Grow(len(name))
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
		case unicode.Is(unicode.Mn, r): // an accent of the letter before
		case r >= utf8.RuneSelf && unicode.IsLetter(r):
			latin, ok := transliterate(r)
			switch {
			case !ok:
				fmt.Fprintf(&b, "U%04X", r)
				upper, isSpelled = true, false
			case latin != "":
				if upper {
					latin = strings.ToUpper(latin[:1]) + latin[1:]
				}
				b.WriteString(latin)
				upper = false
			}
		default:
			upper = true
		}
	}
	if b.Len() == 0 {
		return "Empty", isSpelled
	}
	return b.String(), isSpelled
}

// isPlain reports whether a name consists of ASCII letters and digits and begins with a letter,
// as nearly all names do.
func isPlain(name string) bool {
	for i := range len(name) {
		c := name[i]
		isLetter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !isLetter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// kindOf returns the kind of a resource type: its parents as they are, and the last segment in
// the singular. Microsoft.Batch/batchAccounts/pools is BatchAccountsPool.
func kindOf(resourceType string) string {
	return joined(resourceType, singular)
}

// pluralOf returns the plural of a resource type's kind in lower case, as in REST paths:
// batchaccountspools.
func pluralOf(resourceType string) string {
	return strings.ToLower(joined(resourceType, plural))
}

// joined returns one identifier of a type's segments below the provider. last converts the last
// segment.
func joined(resourceType string, last func(string) string) string {
	segments := strings.Split(resourceType, "/")
	if len(segments) > 1 {
		segments = segments[1:]
	}
	var b strings.Builder
	for i, s := range segments {
		if i == len(segments)-1 {
			s = last(s)
		}
		b.WriteString(Identifier(s))
	}
	return b.String()
}
