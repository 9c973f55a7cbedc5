package plaintext

import "strings"

// markup escapes the characters that begin markup in the middle of a line of Markdown. Those that
// are common within words stay unchanged where they have no effect.
var markup = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`,
	"<", "&lt;", "&", "&amp;", "://", ":&#47;&#47;", "www.", "www&#46;", "@", "&#64;",
)

// Markdown returns text for the middle of a line of Markdown or a cell of a table. It displays as
// the text, without markup, HTML or links.
func Markdown(text string) string { return markup.Replace(Line(text)) }

// Code returns text as a code span, which may be in a cell of a table. It is empty for an empty
// text.
func Code(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(Line(text), "|", `\|`))
	if text == "" {
		return ""
	}
	fence := strings.Repeat("`", longest(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// Fence returns lines as a fenced code block in a language.
func Fence(language, text string) string {
	fence := strings.Repeat("`", max(3, longest(text, '`')+1))
	return fence + language + "\n" + strings.TrimSuffix(Lines(text), "\n") + "\n" + fence + "\n"
}

// longest returns the length of the longest run of a character in text.
func longest(text string, of byte) int {
	most, n := 0, 0
	for i := range len(text) {
		if text[i] != of {
			n = 0
			continue
		}
		n++
		most = max(most, n)
	}
	return most
}
