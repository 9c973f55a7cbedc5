package wordlint

import (
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// inArchive lints the comment of a txtar archive, which states what a test case proves. In a script
// these are the lines that begin with a number sign.
func inArchive(name string, text []byte) []Finding {
	var found []Finding
	comment := string(txtar.Parse(text).Comment)
	isScript := strings.HasPrefix(comment, "# ") || strings.Contains(comment, "\n# ")
	var paragraph []string
	flush := func(end int) {
		for _, text := range unwanted(strings.Join(paragraph, " ")) {
			found = append(found, Finding{Words, name, end - len(paragraph), text})
		}
		paragraph = nil
	}
	for i, line := range strings.Split(comment, "\n") {
		line, isComment := strings.CutPrefix(line, "# ")
		if line == "" || isScript && !isComment {
			flush(i + 1)
			continue
		}
		paragraph = append(paragraph, line)
	}
	flush(strings.Count(comment, "\n") + 2)
	return found
}
