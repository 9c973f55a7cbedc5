package genruntime

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stratakube/strata/runtime/internal/label"
)

// notationReader reads the notation in which generated code lists members, keys and steps. Its methods
// read from the beginning of the text, and report whether what they read stands there.
type notationReader struct{ text string }

// take reads a prefix.
func (r *notationReader) take(prefix string) bool {
	rest, found := strings.CutPrefix(r.text, prefix)
	r.text = rest
	return found
}

// kind reads the letters of a kind.
func (r *notationReader) kind() string {
	rest := strings.TrimLeft(r.text, "lmainbso-")
	kind := r.text[:len(r.text)-len(rest)]
	r.text = rest
	return kind
}

// number reads a number that is not negative.
func (r *notationReader) number() (int, bool) {
	rest := strings.TrimLeft(r.text, label.Digits)
	n, err := strconv.Atoi(r.text[:len(r.text)-len(rest)])
	r.text = rest
	return n, err == nil
}

// name reads a name, which is quoted as in Go where it has other characters than isNameRune names.
func (r *notationReader) name() (string, bool) {
	if quoted, err := strconv.QuotedPrefix(r.text); err == nil {
		r.text = r.text[len(quoted):]
		name, err := strconv.Unquote(quoted)
		return name, err == nil
	}
	end := 0
	for end < len(r.text) {
		c, size := utf8.DecodeRuneInString(r.text[end:])
		if !isNameRune(c) {
			break
		}
		end += size
	}
	name := r.text[:end]
	r.text = r.text[end:]
	return name, end > 0
}

func isNameRune(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("_-.$@/", c)
}
