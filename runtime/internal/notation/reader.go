package notation

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stratakube/strata/runtime/internal/label"
)

// Reader reads the notation in which generated code lists members, keys and steps. Its methods
// read from the beginning of the text, and report whether what they read stands there.
type Reader struct{ Text string }

// Take reads a prefix.
func (r *Reader) Take(prefix string) bool {
	rest, found := strings.CutPrefix(r.Text, prefix)
	r.Text = rest
	return found
}

// Kind reads the letters of a kind.
func (r *Reader) Kind() string {
	rest := strings.TrimLeft(r.Text, "lmainbso-")
	kind := r.Text[:len(r.Text)-len(rest)]
	r.Text = rest
	return kind
}

// Number reads a number that is not negative.
func (r *Reader) Number() (int, bool) {
	rest := strings.TrimLeft(r.Text, label.Digits)
	n, err := strconv.Atoi(r.Text[:len(r.Text)-len(rest)])
	r.Text = rest
	return n, err == nil
}

// Name reads a name, which is quoted as in Go where it has other characters than isNameRune names.
func (r *Reader) Name() (string, bool) {
	if quoted, err := strconv.QuotedPrefix(r.Text); err == nil {
		r.Text = r.Text[len(quoted):]
		name, err := strconv.Unquote(quoted)
		return name, err == nil
	}
	end := 0
	for end < len(r.Text) {
		c, size := utf8.DecodeRuneInString(r.Text[end:])
		if !isNameRune(c) {
			break
		}
		end += size
	}
	name := r.Text[:end]
	r.Text = r.Text[end:]
	return name, end > 0
}

func isNameRune(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("_-.$@/", c)
}
