package diag

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The largest numbers of characters of an excerpt before and after its caret.
const (
	charsBefore = 60
	charsAfter  = 40
	ellipsis    = "..."
)

// window returns the part of a line around byte offset at, and the number of its characters before
// at. A schema may be a single line of megabytes, so it reads only what it returns. Control
// characters become spaces.
func window(line []byte, at int) (text string, caret int) {
	before, cutLeft := lastRunes(line[:at], charsBefore)
	after, cutRight := firstRunes(line[at:], charsAfter)
	if cutLeft {
		before = ellipsis + strings.TrimLeft(before, " \t")
	}
	if cutRight {
		after += ellipsis
	}
	caret = utf8.RuneCountInString(before)
	return strings.TrimRight(before+after, " "), caret
}

func lastRunes(b []byte, n int) (string, bool) {
	at := len(b)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRune(b[:at])
		at -= size
	}
	return printable(b[at:]), at > 0
}

func firstRunes(b []byte, n int) (string, bool) {
	at := 0
	for ; n > 0 && at < len(b); n-- {
		_, size := utf8.DecodeRune(b[at:])
		at += size
	}
	return printable(b[:at]), at < len(b)
}

func printable(b []byte) string {
	return string(bytes.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, b))
}
