package jsontext

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// Unquoted returns the value of a JSON string. It shares the memory of quoted if the string has
// no escapes.
func Unquoted(quoted []byte) []byte {
	if len(quoted) < 2 {
		return nil
	}
	if inner := quoted[1 : len(quoted)-1]; IsPlain(inner) {
		return inner
	} else if text, ok := Unescaped(inner); ok {
		return text
	}
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return nil
	}
	return []byte(text)
}

// Unescaped returns the value of a JSON string without its quotes. It refuses strings that are
// not UTF-8 or have escaped surrogates, which are rare.
func Unescaped(inner []byte) (text []byte, ok bool) {
	if !utf8.Valid(inner) {
		return nil, false
	}
	return appendUnescaped(make([]byte, 0, len(inner)), inner)
}

// UnquotedIn is Unquoted, but stores the value in the room if it has escapes and fits.
func UnquotedIn(room, quoted []byte) []byte {
	if len(quoted) < 2 || len(quoted) > cap(room) || !utf8.Valid(quoted) {
		return Unquoted(quoted)
	}
	if text, ok := appendUnescaped(room[:0], quoted[1:len(quoted)-1]); ok {
		return text
	}
	return Unquoted(quoted)
}

// appendUnescaped appends the value of a string of UTF-8, without its quotes, to text.
func appendUnescaped(text, inner []byte) (out []byte, ok bool) {
	for {
		at := bytes.IndexByte(inner, '\\')
		if at < 0 {
			return append(text, inner...), true
		}
		text = append(text, inner[:at]...)
		if at+1 == len(inner) {
			return nil, false
		}
		if inner[at+1] == 'u' {
			r, ok := runeOf(inner[at+2:])
			if !ok {
				return nil, false
			}
			text, inner = utf8.AppendRune(text, r), inner[at+6:]
			continue
		}
		i := strings.IndexByte(escapes, inner[at+1])
		if i < 0 {
			return nil, false
		}
		text, inner = append(text, meanings[i]), inner[at+2:]
	}
}

// runeOf reads four hexadecimal digits. It refuses surrogates.
func runeOf(digits []byte) (rune, bool) {
	if len(digits) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(Borrow(digits[:4]), 16, 16)
	return rune(n), err == nil && !utf16.IsSurrogate(rune(n))
}

// AppendText appends a JSON string as encoding/json and API servers spell it: with short escapes,
// and with escapes for <, > and &, and for the line separators U+2028 and U+2029. So a string has
// the same bytes in a bag before and after an API server stored it.
func AppendText(out []byte, text string) []byte {
	if isVerbatim(text) {
		out = append(append(out, '"'), text...)
		return append(out, '"')
	}
	out = append(roomForEscapes(out, text), '"')
	start := 0
	for i := 0; i < len(text); {
		b := text[i]
		if verbatim[b] {
			i++
			continue
		}
		r, size := rune(b), 1
		if b >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
			if (r != utf8.RuneError || size > 1) && r != lineSeparator && r != paragraphSeparator {
				i += size
				continue
			}
		}
		out = append(out, text[start:i]...)
		if at := strings.IndexByte(meanings, b); at >= 0 {
			out = append(out, '\\', escapes[at])
		} else {
			out = appendUnicode(out, r)
		}
		i += size
		start = i
	}
	return append(append(out, text[start:]...), '"')
}

// isVerbatim reports whether AppendText writes a text without escapes, and need not look for
// characters of several bytes.
func isVerbatim(text string) bool {
	for i := range len(text) {
		if !verbatim[text[i]] {
			return false
		}
	}
	return true
}

// verbatim has the characters of ASCII that AppendText does not escape.
var verbatim = func() (all [256]bool) {
	for b := byte(' '); b < utf8.RuneSelf; b++ {
		all[b] = strings.IndexByte(`"\<>&`, b) < 0
	}
	return all
}()

// The escapes of JSON and their values, in the same order.
const escapes, meanings = `"\/bfnrt`, "\"\\/\b\f\n\r\t"

const lineSeparator, paragraphSeparator = '\u2028', '\u2029'

// appendUnicode appends a character as an escape of four digits.
func appendUnicode(out []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(out, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// roomForEscapes returns the buffer with room for a text and its escapes. Line separators and bytes
// that are not UTF-8 are rare, and make the buffer grow.
func roomForEscapes(out []byte, text string) []byte {
	n := len(text)
	for i := range len(text) {
		switch b := text[i]; {
		case verbatim[b], b >= utf8.RuneSelf:
		case strings.IndexByte(meanings, b) >= 0:
			n++
		default:
			n += len(`u003c`)
		}
	}
	return RoomFor(out, n)
}

// IsPlain reports whether a string needs no escapes in JSON.
func IsPlain[B ~string | ~[]byte](s B) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c == '"', c == '\\', c >= utf8.RuneSelf:
			return false
		}
	}
	return true
}

// Borrow returns the bytes as a string that shares their memory. The string must not be used
// after the bytes change.
func Borrow(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }
