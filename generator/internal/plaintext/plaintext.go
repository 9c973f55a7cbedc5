package plaintext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The joiners are invisible, but part of the spelling of some scripts and emoji.
const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// IsPlain reports whether a rune displays as itself and has no other effect. Controls, line
// separators, direction marks, byte order marks and invalid UTF-8 are not plain.
func IsPlain(r rune) bool {
	return r != utf8.RuneError && (unicode.IsPrint(r) || r == '\u00a0' || r == zeroWidthNonJoiner || r == zeroWidthJoiner)
}

// Line returns text on one line: every kind of white space becomes a space, and runes that are not
// plain are removed.
func Line(text string) string {
	if isASCII(text) {
		return text
	}
	return clean(text, func(r rune) bool { return unicode.IsPrint(r) && r != utf8.RuneError }, ' ')
}

// Lines returns text without runes that are not plain, except for tabs and line endings, which are
// unchanged.
func Lines(text string) string {
	if isASCII(text) {
		return text
	}
	return clean(text, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' || IsPlain(r) }, '\n')
}

// clean keeps the runes that kept accepts. Other white space becomes space, and other runes are
// removed.
func clean(text string, kept func(rune) bool, space rune) string {
	return strings.Map(func(r rune) rune {
		switch {
		case kept(r):
			return r
		case unicode.IsSpace(r), r == '\u2028', r == '\u2029':
			return space
		}
		return -1
	}, strings.ToValidUTF8(text, ""))
}

// Visible returns text for a terminal: runes that are not plain, and line endings, become Go
// escapes.
func Visible(text string) string {
	if isASCII(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case IsPlain(r):
			b.WriteString(text[i : i+size])
		default:
			b.WriteString(escape(r))
		}
		i += size
	}
	return b.String()
}

func escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < utf8.RuneSelf:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// VisibleLines applies [Visible] to each line of text, and preserves line endings and tabs.
func VisibleLines(text string) string {
	if isASCII(strings.ReplaceAll(text, "\n", "")) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		ending := ""
		if i < len(lines)-1 && strings.HasSuffix(line, "\r") {
			line, ending = line[:len(line)-1], "\r"
		}
		cells := strings.Split(line, "\t")
		for j := range cells {
			cells[j] = Visible(cells[j])
		}
		lines[i] = strings.Join(cells, "\t") + ending
	}
	return strings.Join(lines, "\n")
}

// JSON returns JSON text in which runes that are not plain are JSON escapes.
func JSON(text string) string {
	if isASCII(strings.ReplaceAll(text, "\n", "")) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n', r == '\t', IsPlain(r):
			b.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	return b.String()
}

// isASCII reports whether text is printable ASCII.
func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
