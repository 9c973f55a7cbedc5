package kubeyaml

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stratakube/strata/generator/internal/plaintext"
)

// appendText writes a string: bare if YAML reads it as that string, as a block if it has several
// lines, else in quotes as in JSON.
func appendText(out []byte, s string, depth int) []byte {
	switch {
	case isBare(s):
		return append(out, s...)
	case isBlock(s):
		return appendBlock(out, s, max(depth, 1))
	}
	return appendQuoted(out, s)
}

// appendKey writes the name of a member, on one line.
func appendKey(out []byte, s string) []byte {
	if isBare(s) {
		return append(out, s...)
	}
	return appendQuoted(out, s)
}

// appendQuoted writes a string as JSON does, and escapes the characters that YAML requires in
// addition.
func appendQuoted(out []byte, s string) []byte {
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		return out // only for text that is not UTF-8
	}
	for _, r := range string(quoted) {
		if isPrintable(r) {
			out = utf8.AppendRune(out, r)
		} else {
			out = appendEscape(out, r)
		}
	}
	return out
}

func appendEscape(out []byte, r rune) []byte {
	if r > 0xffff {
		return fmt.Appendf(out, `\U%08x`, r)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}

// isPrintable reports whether a rune may be unescaped in quotes and blocks. YAML allows more
// runes; those that editors do not show as themselves are escaped too.
func isPrintable(r rune) bool { return plaintext.IsPlain(r) || r == utf8.RuneError }

// isBare reports whether both versions of YAML read a string without quotes as that string.
func isBare(s string) bool {
	if s == "" || !isLetter(s[0]) || isWord(s) || strings.HasSuffix(s, " ") || strings.HasSuffix(s, ":") {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == ':' && s[i+1] == ' ' || c == '#' && s[i-1] == ' ' {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

// isWord reports whether YAML reads a bare word as a boolean, null, or not a number.
func isWord(s string) bool {
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf":
		return true
	}
	return false
}

// isBlock reports whether a string has several lines that a block can represent.
func isBlock(s string) bool {
	if !strings.Contains(s, "\n") || s[0] == ' ' || s[0] == '\n' || strings.HasSuffix(s, "\n\n") || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r != '\n' && !isPrintable(r) {
			return false
		}
	}
	return strings.Trim(s, " \n") != ""
}

func appendBlock(out []byte, s string, depth int) []byte {
	out = append(out, '|')
	body, ends := strings.CutSuffix(s, "\n")
	if !ends {
		out = append(out, '-')
	}
	for line := range strings.SplitSeq(body, "\n") {
		out = append(out, '\n')
		if line != "" {
			out = append(appendIndent(out, depth), line...)
		}
	}
	return out
}
