package provider

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"regexp"
	"strconv"
)

// shortestWithin is the minimum length, in bytes, of secrets that Reveals finds within other
// values. Shorter texts occur in values by chance.
const shortestWithin = 8

// Reveals reports whether a value equals one of the secrets, or contains one: as it is, or as
// encoded in URLs, JSON, XML and base64.
func Reveals(value []byte, secrets [][]byte) bool {
	forms := formsOf(value)
	for _, secret := range secrets {
		for _, form := range forms {
			if isRevealed(form, secret) {
				return true
			}
		}
	}
	return false
}

func isRevealed(value, secret []byte) bool {
	if len(secret) < shortestWithin {
		return len(secret) > 0 && bytes.Equal(value, secret)
	}
	if len(value) < len(secret) { // no encoding is shorter than the secret
		return false
	}
	if bytes.Contains(value, secret) {
		return true
	}
	if bytes.IndexByte(secret, ' ') >= 0 && bytes.Contains(value, bytes.ReplaceAll(secret, []byte(" "), []byte("+"))) {
		return true // in the query of a URL
	}
	for _, part := range inBase64(secret) {
		if bytes.Contains(value, part) {
			return true
		}
	}
	return false
}

// maxDecoded is how often a value is decoded, since some values are encoded more than once.
const maxDecoded = 3

// formsOf returns a value, and its results of decoding escapes up to maxDecoded times.
func formsOf(value []byte) [][]byte {
	forms := [][]byte{value}
	for range maxDecoded {
		decoded := decodeEscapes(value)
		if bytes.Equal(decoded, value) {
			break
		}
		forms, value = append(forms, decoded), decoded
	}
	return forms
}

var escapes = regexp.MustCompile(`%[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]|&[a-zA-Z]{2,8};|&#[0-9a-fA-FxX]{1,8};`)

// decodeEscapes decodes each escape in a value once, and leaves the rest unchanged.
func decodeEscapes(value []byte) []byte {
	return escapes.ReplaceAllFunc(value, func(escape []byte) []byte {
		text := string(escape)
		switch {
		case text[0] == '%':
			code, _ := strconv.ParseUint(text[1:], 16, 8) // two digits
			return []byte{byte(code)}
		case text[0] == '&':
			return []byte(html.UnescapeString(text))
		}
		var decoded string
		_ = json.Unmarshal([]byte(`"`+text+`"`), &decoded) // one escape
		return []byte(decoded)
	})
}

// inBase64 returns texts one of which is part of each base64 text that contains the secret, at
// any offset. It leaves out the ends, which depend on the bytes around the secret.
func inBase64(secret []byte) (parts [][]byte) {
	for before := range 3 {
		padded := append(make([]byte, before), secret...)
		whole := len(padded) / 3 * 3
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := encoding.AppendEncode(nil, padded[:whole])
			if before > 0 {
				text = text[4:]
			}
			parts = append(parts, text)
		}
	}
	return parts
}
