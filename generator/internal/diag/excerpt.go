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
// at. The line begins at offset first of body. A schema may be a single line of megabytes, so it
// reads little more than what it returns, and a bounded part of what is before.
// Values that [hidden] finds are an ellipsis, and control characters spaces.
func window(body []byte, first int, line []byte, at int) (text string, caret int) {
	start, end := runesBefore(line[:at], charsBefore), at+runesAfter(line[at:], charsAfter)
	spans := hidden(body, first, span{start, end})
	before := elided(line, start, at, spans)
	if start > 0 {
		before = ellipsis + strings.TrimPrefix(strings.TrimLeft(before, " \t"), ellipsis)
	}
	after := elided(line, at, end, spans)
	if end < len(line) {
		after = strings.TrimSuffix(after, ellipsis) + ellipsis
	}
	caret = utf8.RuneCountInString(before)
	return strings.TrimRight(before+after, " "), caret
}

// runesBefore returns where the last n characters begin.
func runesBefore(b []byte, n int) int {
	at := len(b)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRune(b[:at])
		at -= size
	}
	return at
}

// runesAfter returns where the first n characters end.
func runesAfter(b []byte, n int) int {
	at := 0
	for ; n > 0 && at < len(b); n-- {
		_, size := utf8.DecodeRune(b[at:])
		at += size
	}
	return at
}

// elided returns a part of a line, with an ellipsis for each span that begins there, or at its
// start goes on. A span around its end belongs to what follows.
func elided(line []byte, start, end int, spans []span) string {
	var out strings.Builder
	for _, s := range spans {
		if s.end <= start || s.start >= end {
			continue
		}
		out.WriteString(printable(line[start:max(start, s.start)]))
		if s.end <= end || end == len(line) {
			out.WriteString(ellipsis)
		}
		start = min(s.end, end)
	}
	out.WriteString(printable(line[start:end]))
	return out.String()
}

func printable(b []byte) string {
	return string(bytes.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, b))
}
