package docs

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/packages"
)

// testName matches the name of a test function. A star at its end matches any rest.
var testName = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9_]*\*?`)

// TestTestsThatSecurityPageNamesExist keeps the page honest: it promises that each limit has a
// test.
func TestTestsThatSecurityPageNamesExist(t *testing.T) {
	w := workspace(t)
	all, err := packages.List(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, p := range all {
		for _, kind := range []string{"Test", "Fuzz", "Benchmark"} {
			names, err := p.Functions(kind)
			if err != nil {
				t.Fatal(err)
			}
			known = append(known, names...)
		}
	}
	index := "\n" + strings.Join(known, "\n") + "\n"
	named := testName.FindAllString(read(t, filepath.Join(w.Root, "docs", "security.md")), -1)
	if len(named) < 50 {
		t.Fatalf("the page names %d tests only", len(named))
	}
	for _, name := range named {
		prefix, isPattern := strings.CutSuffix(name, "*")
		if !isPattern {
			prefix += "\n"
		}
		if !strings.Contains(index, "\n"+prefix) {
			t.Errorf("docs/security.md names %s, which does not exist", name)
		}
	}
}

var (
	// link matches a link of Markdown to another file of the repository, and its heading.
	link = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#([^)]*))?\)`)
	// inPage matches a link to a heading of the same page.
	inPage  = regexp.MustCompile(`\]\(#([^)]*)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fences  = regexp.MustCompile("(?ms)^ *```.*?^ *```")
)

// TestLinksLeadSomewhere checks that the files and headings exist to which the pages link.
func TestLinksLeadSomewhere(t *testing.T) {
	w := workspace(t)
	for _, page := range pages(t, w) {
		path := filepath.Join(w.Root, page)
		text := read(t, path)
		for _, match := range inPage.FindAllStringSubmatch(text, -1) {
			if !hasHeading(text, match[1]) {
				t.Errorf("%s: the page has no heading #%s", page, match[1])
			}
		}
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			to, err := url.PathUnescape(match[1])
			if err != nil {
				t.Errorf("%s: the link to %s cannot be read: %v", page, match[1], err)
				continue
			}
			target := filepath.Join(filepath.Dir(path), filepath.FromSlash(to))
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", page, match[1])
				continue
			}
			if filepath.Ext(target) == ".md" && match[2] != "" && !hasHeading(read(t, target), match[2]) {
				t.Errorf("%s: %s has no heading #%s", page, match[1], match[2])
			}
		}
	}
}

// hasHeading reports whether a page has a heading with an anchor, as code hosts make anchors.
func hasHeading(page, anchor string) bool {
	for _, found := range heading.FindAllStringSubmatch(fences.ReplaceAllString(page, ""), -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, found[1])
		if name == anchor {
			return true
		}
	}
	return false
}

// pages lists the pages of the documentation by their paths from the root.
func pages(t *testing.T, w *modules.Workspace) []string {
	t.Helper()
	pages := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	err := filepath.WalkDir(filepath.Join(w.Root, "docs"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			relative, _ := filepath.Rel(w.Root, path)
			pages = append(pages, relative)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func workspace(t *testing.T) *modules.Workspace {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
