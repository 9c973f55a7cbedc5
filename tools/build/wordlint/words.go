package wordlint

import (
	_ "embed"
	"regexp"
	"strings"

	"github.com/stratakube/strata/tools/build/textlist"
)

//go:embed words.txt
var list string

// word is a word that the project does not use.
type word struct {
	text, instead string
	expression    *regexp.Regexp
	exceptions    []*regexp.Regexp
}

var words = readWords(list)

func readWords(list string) []word {
	var all []word
	for _, line := range textlist.Lines(list) {
		cells := strings.Split(line, "\t")
		w := word{text: cells[0], instead: cells[1], expression: phrase(cells[0])}
		if len(cells) > 2 {
			for exception := range strings.SplitSeq(cells[2], ";") {
				w.exceptions = append(w.exceptions, phrase(strings.TrimSpace(exception)))
			}
		}
		all = append(all, w)
	}
	return all
}

// phrase matches words in any letter case and with any space between them.
func phrase(text string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b` + strings.Join(strings.Fields(regexp.QuoteMeta(text)), `\s+`) + `\b`)
}

// unwanted lists the faulty words of a text.
func unwanted(text string) []string {
	var found []string
	for _, w := range words {
		rest := text
		for _, exception := range w.exceptions {
			rest = exception.ReplaceAllString(rest, "")
		}
		for range w.expression.FindAllString(rest, -1) {
			found = append(found, `"`+w.text+`": use `+w.instead)
		}
	}
	return found
}
