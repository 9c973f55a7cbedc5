package docs

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// glossary is the page that defines the terms, each below a heading of the third level.
const glossary = "docs/guide/glossary.md"

var (
	termHeading = regexp.MustCompile(`(?m)^### (.+)\n\n((?:.+\n)+)`)
	sentenceEnd = regexp.MustCompile(`[.!?](?:\s|$)`)
	// notProse matches text that is no prose: blocks of code, comments, headings, tables and code
	// spans.
	notProse  = regexp.MustCompile("(?ms)^ *```.*?^ *```|<!--.*?-->|^#[^\n]*|^\\|[^\n]*|`[^`\n]+`")
	inlineRef = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// TestTermsHaveOneSentence checks that the glossary defines each term in one sentence.
func TestTermsHaveOneSentence(t *testing.T) {
	found := termHeading.FindAllStringSubmatch(read(t, filepath.Join(workspace(t).Root, glossary)), -1)
	if len(found) < 20 {
		t.Fatalf("%s defines %d terms only", glossary, len(found))
	}
	for _, term := range found {
		if n := len(sentenceEnd.FindAllString(term[2], -1)); n != 1 {
			t.Errorf("%s defines %q in %d sentences", glossary, term[1], n)
		}
	}
}

// TestPagesLinkTermsAtTheirFirstUse checks that the first use of a term in the text of a page is a
// link, or part of one.
func TestPagesLinkTermsAtTheirFirstUse(t *testing.T) {
	root := workspace(t).Root
	terms := termHeading.FindAllStringSubmatch(read(t, filepath.Join(root, glossary)), -1)
	for _, page := range explained(t, root) {
		text := read(t, filepath.Join(root, page))
		for _, term := range terms {
			if line := unlinked(text, term[1]); line > 0 {
				t.Errorf("%s:%d: the first %q is not linked: see %s", page, line, strings.ToLower(term[1]), glossary)
			}
		}
	}
}

// TestUnlinked checks what counts as the first use of a term.
func TestUnlinked(t *testing.T) {
	for _, test := range []struct {
		why, page string
		want      int
	}{
		{"plain text", "# Page\n\nThe hub.\n", 3},
		{"a link", "The [hub](glossary.md#hub), and the hub.\n", 0},
		{"part of a link", "See [the hub of a kind](chain.md).\n", 0},
		{"a link that comes second", "The hub, a [hub](glossary.md#hub).\n", 1},
		{"the target of a link", "See [there](hub.md).\n", 0},
		{"several, at the begin of a sentence", "\nHubs.\n", 2},
		{"a longer word", "GitHub and hubris.\n", 0},
		{"code", "```sh\nhub\n```\n\n`hub`\n", 0},
		{"headings and tables", "# The hub\n\n| hub |\n", 0},
	} {
		if got := unlinked(test.page, "Hub"); got != test.want {
			t.Errorf("%s: the line of the first use is %d, want %d", test.why, got, test.want)
		}
	}
	if got := unlinked("A\nproperty\nbag.\n", "Property bag"); got != 2 {
		t.Errorf("a term on two lines is found in line %d, want 2", got)
	}
}

// unlinked returns the line of the first use of a term if no link covers it, and 0 otherwise.
func unlinked(page, term string) int {
	words := strings.Join(strings.Fields(regexp.QuoteMeta(strings.ToLower(term))), `\s+`)
	use := regexp.MustCompile(`(?i)\b` + words + `s?\b`)
	text := notProse.ReplaceAllStringFunc(page, blank)
	linked := inlineRef.FindAllStringSubmatchIndex(text, -1)
	for _, at := range use.FindAllStringIndex(text, -1) {
		isTarget := false
		for _, link := range linked {
			if link[2] <= at[0] && at[1] <= link[3] {
				return 0
			}
			isTarget = isTarget || link[3] < at[0] && at[1] <= link[1]
		}
		if !isTarget {
			return 1 + strings.Count(text[:at[0]], "\n")
		}
	}
	return 0
}

// blank returns spaces in place of a text, and leaves its lines where they are.
func blank(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, text)
}

// explained lists the pages that link terms: the guide without the glossary itself, and the pages
// that lead to it.
func explained(t *testing.T, root string) []string {
	t.Helper()
	pages := []string{"README.md", "docs/architecture.md", "docs/security.md"}
	err := filepath.WalkDir(filepath.Join(root, "docs", "guide"), func(path string, _ fs.DirEntry, err error) error {
		relative, _ := filepath.Rel(root, path)
		if page := filepath.ToSlash(relative); filepath.Ext(page) == ".md" && page != glossary {
			pages = append(pages, page)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}
