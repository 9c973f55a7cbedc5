package refine

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/stratakube/strata/generator/internal/inflect"
)

// unchanging are words that look like plurals, or have irregular ones, and stay unchanged in the
// names of resources.
var unchanging = map[string]bool{
	"data": true, "metadata": true, "media": true,
	"dns": true, "os": true, "redis": true, "sas": true, "tls": true,
}

var acronyms = regexp.MustCompile(`[A-Z]s$`) // IPs, VMs

// singular returns a name in camel case with its last word in the singular.
func singular(name string) string {
	if acronyms.MatchString(name) {
		return strings.TrimSuffix(name, "s")
	}
	head, word := lastWord(name)
	if unchanging[strings.ToLower(word)] {
		return name
	}
	s := inflect.Singular(word)
	if s == "" || len(s) > len(word) {
		return name
	}
	return head + s
}

// plural returns a name in camel case with its last word in the plural. A plural stays unchanged:
// persons, not people.
func plural(name string) string {
	head, word := lastWord(name)
	if unchanging[strings.ToLower(word)] || singular(name) != name {
		return name
	}
	if s := inflect.Plural(word); strings.EqualFold(s[:min(1, len(s))], word[:min(1, len(word))]) {
		return head + s
	}
	return name + "s"
}

// lastWord splits a name in camel case before its last word.
func lastWord(name string) (head, word string) {
	at := strings.LastIndexFunc(name, unicode.IsUpper)
	if at <= 0 {
		return "", name
	}
	return name[:at], name[at:]
}
