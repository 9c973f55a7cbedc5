package docs

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// longest is the number of words that a sentence may have.
const longest = 25

var (
	// begins matches a line that begins a paragraph: an empty one, or an item of a list.
	begins = regexp.MustCompile(`(?m)^\s*$|^\s*(?:[-*]|\d+\.)\s`)
	// ends matches the end of a sentence, or of a part that a colon or semicolon ends.
	ends = regexp.MustCompile(`[.!?:;][)"*]*\s+`)
	// quotes matches a quotation, which has the words of someone else, such as a message.
	quotes = regexp.MustCompile(`(?m)^>.*$`)
	// tables matches a row of a table. It is not running text.
	tables = regexp.MustCompile(`(?m)^\s*\|.*$`)
	spans  = regexp.MustCompile("`[^`\n]+`")
)

// TestSentencesAreShort checks the pages of the documentation, except what tools write into
// docs/reports.
func TestSentencesAreShort(t *testing.T) {
	w := workspace(t)
	for _, page := range pages(t, w) {
		if strings.HasPrefix(filepath.ToSlash(page), "docs/reports/") {
			continue
		}
		for _, long := range longSentences(read(t, filepath.Join(w.Root, page))) {
			t.Errorf("%s: more than %d words in a sentence: %s", page, longest, long)
		}
	}
}

// TestLongSentences checks what counts as a sentence.
func TestLongSentences(t *testing.T) {
	words := strings.TrimSpace(strings.Repeat("word ", longest))
	for _, test := range []struct {
		why, page string
		want      int
	}{
		{"short enough", words + ".\n", 0},
		{"too long", words + " more.\n", 1},
		{"on two lines", words + "\nmore.\n", 1},
		{"two sentences", words + ". " + words + ".\n", 0},
		{"two items", "- " + words + "\n- " + words + "\n", 0},
		{"two paragraphs", words + "\n\n" + words + "\n", 0},
		{"a code span is one word", "`" + words + " more` " + "is code.\n", 0},
		{"code, tables and quotations", "```\n" + words + " more\n```\n| " + words + " more |\n> " + words + " more\n", 0},
		{"a link has its text", "[" + words + " more](page.md)\n", 1},
	} {
		if got := longSentences(test.page); len(got) != test.want {
			t.Errorf("%s: found %q, want %d", test.why, got, test.want)
		}
	}
}

// longSentences returns the sentences of a page that have too many words.
func longSentences(page string) []string {
	text := spans.ReplaceAllString(fences.ReplaceAllString(page, ""), "code")
	text = tables.ReplaceAllString(quotes.ReplaceAllString(text, ""), "")
	text = inlineRef.ReplaceAllString(heading.ReplaceAllString(text, ""), "$1")
	var long []string
	for _, paragraph := range begins.Split(text, -1) {
		for _, sentence := range ends.Split(paragraph, -1) {
			if words := strings.Fields(sentence); len(words) > longest {
				long = append(long, strings.Join(words, " "))
			}
		}
	}
	return long
}
