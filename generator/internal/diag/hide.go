package diag

import (
	"bytes"
	"regexp"
)

// lookback is how many bytes before an excerpt are read for the name of a value that reaches into
// it.
const lookback = 4096

// span is a part of a line.
type span struct{ start, end int }

// named matches the name of a default or an example in JSON or YAML, up to its value.
var named = regexp.MustCompile(`"(?:default|examples?)"\s*:\s*|(?:^|[{,-])\s*(?:default|examples?):(?:\s+|$)`)

// hidden returns the values of defaults and examples in a part of a line. Any of them may be a
// secret: a configuration or a later declaration decides that, and messages come before.
func hidden(line []byte, start, end int) []span {
	first := max(0, start-lookback)
	region := line[first:end]
	var out []span
	for at := 0; at < len(region); {
		name := named.FindIndex(region[at:])
		if name == nil {
			break
		}
		begin := at + name[1]
		isJSON := bytes.ContainsRune(region[at:begin], '"')
		at = begin + valueLength(region[begin:], isJSON)
		out = append(out, span{first + begin, first + at})
	}
	return out
}

// valueLength returns the length of the value at the beginning of a text: all of the text if the
// value does not end there. A value of YAML without quotes or brackets takes the rest of the line.
func valueLength(text []byte, isJSON bool) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'':
			i += quotedLength(text[i:]) - 1
		case '[', '{':
			depth++
			continue
		case ']', '}':
			depth--
		case ',':
			if depth == 0 && isJSON {
				return i
			}
			continue
		default:
			continue
		}
		switch {
		case depth < 0 && isJSON:
			return i
		case depth == 0 && (isJSON || bytes.IndexByte([]byte(`"'[{`), text[0]) >= 0):
			return min(i+1, len(text))
		}
	}
	return len(text)
}

// quotedLength returns the length of a quoted text, or of all text if it does not end.
func quotedLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[0] == '"', text[0] == '\'' && bytes.HasPrefix(text[i:], []byte("''")):
			i++
		case text[i] == text[0]:
			return i + 1
		}
	}
	return len(text)
}
