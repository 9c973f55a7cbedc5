package gofile

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// width is the column at which comments wrap.
const width = 120

// quotes writes quotes in the manner of TeX as gofmt does.
var quotes = strings.NewReplacer("``", "“", "''", "”")

// Comment writes text as a comment with the given indentation: one paragraph,
// whatever the text looked like, so that nothing in it is read as markup, a
// marker or a directive.
func (f *File) Comment(indent, text string) { f.body = AppendComment(f.body, indent, text) }

// deprecated begins the last paragraph of docs of what should not be used any more.
const deprecated = "\n\nDeprecated: "

// AppendComment appends what [File.Comment] writes. A last paragraph that says that something is deprecated
// stays one, as tools want it.
func AppendComment(out []byte, indent, text string) []byte {
	before, note, found := strings.Cut(text, deprecated)
	if !found {
		return appendParagraph(out, indent, text)
	}
	if out = appendParagraph(out, indent, before); len(strings.TrimSpace(before)) > 0 {
		out = append(append(out, indent...), "//\n"...)
	}
	words := appendParagraph(nil, indent, deprecated+note)
	return append(out, strings.Replace(string(words), "'Deprecated:", "Deprecated:", 1)...)
}

// appendParagraph appends text as one paragraph.
func appendParagraph(out []byte, indent, text string) []byte {
	column := 0
	for word := range strings.FieldsSeq(clean(text)) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			out, column = begin(out, indent, word), len(indent)+3+n
		case column+1+n > width:
			out = append(out, '\n')
			out, column = begin(out, indent, word), len(indent)+3+n
		default:
			out = append(out, ' ')
			out = append(out, word...)
			column += 1 + n
		}
	}
	if column > 0 {
		out = append(out, '\n')
	}
	return out
}

// begin starts a line. A first word that a tool would read as markup (a list,
// a heading, a marker, a link's definition) is set off by a quote.
func begin(out []byte, indent, word string) []byte {
	out = append(out, indent...)
	out = append(out, "// "...)
	if strings.ContainsRune("+-*#[•", firstRune(word)) || word == "Deprecated:" {
		out = append(out, '\'')
	}
	return append(out, word...)
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// clean makes text fit for a comment: valid, without control characters, its
// quotes as gofmt writes them.
func clean(text string) string {
	if !isASCII(text) {
		text = printable(text)
	}
	if strings.Contains(text, "``") || strings.Contains(text, "''") {
		text = quotes.Replace(text)
	}
	return text
}

// isASCII tells whether text is printable ASCII and space.
func isASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c > '~' || c < ' ' && (c < '\t' || c > '\r') {
			return false
		}
	}
	return true
}

// printable is text without what is neither printable nor space.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r == '\u2028', r == '\u2029':
			return ' '
		case !unicode.IsPrint(r), r == utf8.RuneError, r == '\uFEFF':
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}
