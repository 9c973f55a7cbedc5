package diag

import (
	"bytes"
	"cmp"
	"regexp"
)

// lookback is how many bytes before an excerpt are read for the name of a value that reaches into
// it.
const lookback = 16 << 10

// span is a part of a line.
type span struct{ start, end int }

// named matches the name of a default or an example up to its value: in JSON, in YAML, in a marker
// and in the tag of a field of Go. The groups are the names in YAML, in markers and in tags.
var named = regexp.MustCompile(`"(?:default|examples?)"\s*:\s*|(?:(?m:^)|[{,-])[ \t]*(default|examples?):(?:[ \t]*\r?\n|[ \t]+|$)|[+:,](default|examples?):?=|(?:\x60|"[ \t]+)(default|examples?):`)

// hidden returns the values of defaults and examples in a part of a line, which begins at offset
// line of the body. Any of them may be a secret: a configuration or a later declaration decides
// that, and messages come before. A value may begin on an earlier line.
func hidden(body []byte, line int, part span) []span {
	first := max(0, line+part.start-lookback)
	region := body[first : line+part.end]
	var out []span
	for at := 0; at < len(region); {
		name := named.FindSubmatchIndex(region[at:])
		if name == nil {
			break
		}
		begin := at + name[1]
		searched := 0
		switch isYAML, isMarker, isTag := name[2] >= 0, name[4] >= 0, name[6] >= 0; {
		case isYAML:
			column := at + name[2] - 1 - bytes.LastIndexByte(region[:at+name[2]], '\n')
			at = begin + yamlLength(region[begin:], column, region[begin-1] == '\n')
		case isMarker: // the rest of the line, since a value may have commas
			at = begin + len(bytes.TrimRight(region[begin:begin+lineLength(region[begin:])], "\r\n"))
		default:
			at = begin + valueLength(region[begin:], true)
			if isTag { // or the end of a text, before a default
				searched = begin + 1
			}
		}
		if found := (span{first + begin - line, first + at - line}); found.end > part.start {
			out = joined(out, span{max(0, found.start), found.end})
		}
		at = cmp.Or(searched, at)
	}
	return out
}

// joined appends a span, or extends the last one if they overlap.
func joined(all []span, s span) []span {
	if n := len(all); n > 0 && s.start < all[n-1].end {
		all[n-1].end = max(all[n-1].end, s.end)
		return all
	}
	return append(all, s)
}

// yamlLength returns the length of a value of YAML whose name is at a column. isBelow reports
// whether it begins on the line after its name. A value without quotes or brackets ends before the
// next line that is not indented more than its name.
func yamlLength(value []byte, column int, isBelow bool) int {
	end := 0
	if !isBelow {
		if len(value) > 0 && bytes.IndexByte([]byte(`"'[{`), value[0]) >= 0 {
			return valueLength(value, false)
		}
		end = lineLength(value)
	}
	for end < len(value) {
		line := value[end : end+lineLength(value[end:])]
		text := bytes.TrimLeft(line, " \t")
		indent := len(line) - len(text)
		isElement := isBelow && indent == column && bytes.HasPrefix(text, []byte("- "))
		if len(bytes.TrimSpace(text)) > 0 && indent <= column && !isElement {
			return end
		}
		end += len(line)
	}
	return end
}

// lineLength returns the length of the first line of a text, with its end.
func lineLength(text []byte) int {
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		return end + 1
	}
	return len(text)
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
