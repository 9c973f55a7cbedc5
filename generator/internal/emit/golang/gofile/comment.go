package gofile

import (
	"strings"
	"unicode/utf8"

	"github.com/stratakube/strata/generator/internal/plaintext"
)

// width is the column at which comments wrap.
const width = 120

// quotes converts quotes in the manner of TeX, as gofmt does.
var quotes = strings.NewReplacer("``", "“", "''", "”")

// Comment writes text as a comment with the given indentation. It is one paragraph, whatever the
// text's form, so that no part of it is read as markup, a marker or a directive.
func (f *File) Comment(indent, text string) { f.body = AppendComment(f.body, indent, text) }

// deprecated precedes the last paragraph of the doc of a deprecated declaration.
const deprecated = "\n\nDeprecated: "

// AppendComment appends the comment that [File.Comment] writes. A last paragraph that marks a
// deprecation stays a paragraph, as tools require it.
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
		case column == 0 || column+1+n > width:
			if column > 0 {
				out = append(out, '\n')
			}
			start := len(out)
			out = begin(out, indent, word)
			column = utf8.RuneCount(out[start:])
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

// begin starts a line. If a tool would read the first word as markup (a list, a heading, a link's
// definition), a marker or a directive, a quote precedes it.
func begin(out []byte, indent, word string) []byte {
	return appendFirst(append(append(out, indent...), "// "...), word)
}

// appendFirst appends text that begins with the first word of a comment's line.
func appendFirst(out []byte, text string) []byte {
	word, _, _ := strings.Cut(text, " ")
	if strings.ContainsRune("+-*#[•", firstRune(word)) || word == "Deprecated:" || isDirective(word) {
		out = append(out, '\'')
	}
	return append(out, text...)
}

// isDirective reports whether a tool reads a directive from a line that begins with a word. Some
// tools ignore the space after the slashes.
func isDirective(word string) bool {
	switch name, rest, found := strings.Cut(word, ":"); {
	case word == "line", word == "export", word == "extern", strings.HasPrefix(word, "nolint"):
		return true
	default:
		return found && rest != "" && isLower(name) && isLower(rest[:1])
	}
}

// isLower reports whether text consists of lower-case letters and digits.
func isLower(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) < 0
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// clean returns text in a form for comments: one line of plain text, with quotes as gofmt writes
// them. All text of sources in comments passes through clean; elsewhere it is in quoted literals.
func clean(text string) string {
	text = plaintext.Line(text)
	if strings.Contains(text, "``") || strings.Contains(text, "''") {
		text = quotes.Replace(text)
	}
	return text
}
