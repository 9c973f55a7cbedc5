package jsonschema

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/source/document"
)

// Names makes names that are unique in a scope. The zero value is ready.
type Names struct {
	taken map[string]bool
	last  map[string]int // the last number of names, by those with suffix
}

// Claim takes a name. It returns false if the name is taken.
func (n *Names) Claim(name string) bool {
	if n.taken[name] {
		return false
	}
	if n.taken == nil {
		n.taken = map[string]bool{}
	}
	n.taken[name] = true
	return true
}

// Unique takes the first of some names that is not taken, or else the first name with a number. All
// have the suffix.
func (n *Names) Unique(suffix string, names ...string) string {
	for _, name := range names {
		if n.Claim(name + suffix) {
			return name + suffix
		}
	}
	if n.last == nil {
		n.last = map[string]int{}
	}
	plain := names[0] + suffix
	for i := max(n.last[plain]+1, 2); ; i++ {
		if name := names[0] + "_" + strconv.Itoa(i) + suffix; n.Claim(name) {
			n.last[plain] = i
			return name
		}
	}
}

// PlainName names a definition after its pointer, without the keywords in it:
// /definitions/Pool/properties/size becomes Pool_size. A whole file is named after itself.
// isSection reports whether a token is the name of a section of a file.
func PlainName(t *document.Target, isSection func(token string) bool) string {
	var words []string
	for i, token := range t.Tokens {
		if i == len(t.Tokens)-1 || !isKeyword(token) && !isSection(token) {
			words = append(words, token)
		}
	}
	return cmp.Or(strings.Join(words, "_"), t.Document().Stem())
}

// isKeyword reports whether a token of a pointer is a keyword that contains schemas.
func isKeyword(token string) bool {
	switch token {
	case "definitions", "$defs", "properties", "items", "additionalProperties", "oneOf", "anyOf", "allOf":
		return true
	}
	return false
}
