package wordlint

import (
	"regexp"
	"strings"
)

// code matches a span of code in a line of Markdown.
var code = regexp.MustCompile("`[^`]*`")

// inPage lints a page of Markdown. Code is left out, and so is the length of lines that cannot be
// broken: rows of tables, headings, and lines of one link. Pages that Strata generates are left out
// wholly.
func inPage(name, text string) []Finding {
	if strings.HasPrefix(text, "<!-- Code generated ") {
		return nil
	}
	var found []Finding
	var paragraph []string
	isCode := false
	flush := func(end int) {
		for _, text := range unwanted(strings.Join(paragraph, " ")) {
			found = append(found, Finding{Words, name, end - len(paragraph), text})
		}
		paragraph = nil
	}
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") {
			isCode = !isCode
			trimmed = ""
		}
		if isCode || trimmed == "" {
			flush(i + 1)
			continue
		}
		paragraph = append(paragraph, code.ReplaceAllString(line, ""))
		if canBreak(trimmed) {
			found = append(found, tooLong(Columns, name, line, i+1, mostColumns)...)
		}
	}
	flush(strings.Count(text, "\n") + 2)
	return found
}

func canBreak(line string) bool {
	return !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "#") && strings.Contains(strings.TrimLeft(line, "-*0123456789. "), " ")
}
