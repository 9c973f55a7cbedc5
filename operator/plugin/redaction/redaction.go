package redaction

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
)

// shortest is the minimum length, in bytes, of secrets that are removed. Shorter ones occur in
// messages by chance.
const shortest = 4

// Remove returns a text in which other text stands for each secret, without the blanks around it,
// in all spellings of it. The text must be whole: a part of a secret is not found.
func Remove(text, instead string, secrets ...[]byte) string {
	var all []string
	for _, secret := range secrets {
		if secret = bytes.TrimSpace(secret); len(secret) >= shortest && len(secret) <= len(text) {
			all = append(all, spellings(string(secret))...)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) }) // one may be part of another
	for _, one := range slices.Compact(all) {
		text = strings.ReplaceAll(text, one, instead)
	}
	return text
}

// spellings returns a secret as it is, and as JSON and URLs spell it.
func spellings(secret string) []string {
	all := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), dotNet(secret)}
	for _, escapesHTML := range []bool{true, false} {
		var quoted bytes.Buffer
		encoder := json.NewEncoder(&quoted)
		encoder.SetEscapeHTML(escapesHTML)
		if encoder.Encode(secret) == nil {
			all = append(all, quoted.String()[1:quoted.Len()-2]) // without quotation marks and the newline
		}
	}
	return all
}

// dotNet returns a text as the JSON of .NET spells it by default: it escapes all that HTML and
// scripts could misread, as in abc\u002Bdef.
func dotNet(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r >= ' ' && r < 0x7f && !strings.ContainsRune("\"'&+<>`", r):
			b.WriteRune(r)
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, `\u%04X`, unit)
			}
		}
	}
	return b.String()
}
