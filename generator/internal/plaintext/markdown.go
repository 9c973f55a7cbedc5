package plaintext

import "strings"

// markup are the characters that begin markup in the middle of a line of Markdown. Those within words
// that people use all the time stay as they are where they mean nothing there.
var markup = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`,
	"<", "&lt;", "&", "&amp;", "://", ":&#47;&#47;", "www.", "www&#46;", "@", "&#64;",
)

// Markdown gives text for the middle of a line of Markdown, a cell of a table too: it shows what the
// text says, and holds no markup, HTML or link.
func Markdown(text string) string { return markup.Replace(Line(text)) }

// Code gives text as a code span, which may stand in a cell of a table. It is empty for no text.
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

// Fence gives lines as a fenced block of code in a language.
func Fence(language, text string) string {
	fence := strings.Repeat("`", max(3, longest(text, '`')+1))
	return fence + language + "\n" + strings.TrimSuffix(Lines(text), "\n") + "\n" + fence + "\n"
}

// longest is the length of the longest run of a character in text.
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
