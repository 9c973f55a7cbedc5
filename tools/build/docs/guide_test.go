package docs

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// numbered matches an item of a numbered list that begins with a link to a page.
var numbered = regexp.MustCompile(`(?m)^\d+\. \[[^\]]+\]\(([^)#]+)\)`)

// TestDoorsAreReadInOrder checks that the guide has three doors, and that each page of a door links
// to the next one.
func TestDoorsAreReadInOrder(t *testing.T) {
	guide := filepath.Join(workspace(t).Root, "docs", "guide")
	doors := 0
	for section := range strings.SplitSeq(read(t, filepath.Join(guide, "README.md")), "\n## ") {
		if !strings.HasPrefix(section, "Door ") {
			continue
		}
		doors++
		pages := numbered.FindAllStringSubmatch(section, -1)
		if len(pages) < 3 {
			t.Errorf("door %d has %d pages only", doors, len(pages))
			continue
		}
		for j, next := range pages[1:] {
			if page := filepath.Join(guide, pages[j][1]); !linksTo(t, page, filepath.Join(guide, next[1])) {
				t.Errorf("door %d: %s does not link to the next page, %s", doors, pages[j][1], next[1])
			}
		}
	}
	if doors != 3 {
		t.Errorf("the guide has %d doors, want 3", doors)
	}
}

// TestGuideListsItsPages checks that a reader who begins at the first page of the guide finds
// all others.
func TestGuideListsItsPages(t *testing.T) {
	root := workspace(t).Root
	first := filepath.Join(root, "docs", "guide", "README.md")
	for _, page := range explained(t, root) {
		path := filepath.Join(root, filepath.FromSlash(page))
		if strings.HasPrefix(page, "docs/guide/") && path != first && !linksTo(t, first, path) {
			t.Errorf("docs/guide/README.md does not list %s", page)
		}
	}
}

// TestComparisonIsLinked checks that each cell of the README's comparison with other tools has a
// link to where its statement can be read.
func TestComparisonIsLinked(t *testing.T) {
	text := read(t, filepath.Join(workspace(t).Root, "README.md"))
	_, text, _ = strings.Cut(text, "\n## Beside other ways\n")
	text, _, _ = strings.Cut(text, "\n## ")
	rows := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| | Strata ") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 6 {
			t.Errorf("the row has %d cells: %s", len(cells), line)
		}
		for _, cell := range cells[1:] {
			if !strings.Contains(cell, "](") {
				t.Errorf("no link in %q of the row %q", strings.TrimSpace(cell), strings.TrimSpace(cells[0]))
			}
		}
	}
	if rows < 6 {
		t.Errorf("the comparison has %d rows", rows)
	}
}

// linksTo reports whether a page has a link to another one.
func linksTo(t *testing.T, page, other string) bool {
	t.Helper()
	for _, found := range link.FindAllStringSubmatch(read(t, page), -1) {
		if filepath.Join(filepath.Dir(page), filepath.FromSlash(found[1])) == other {
			return true
		}
	}
	return false
}

var commandName = regexp.MustCompile(`Use:\s+"([a-z]+)`)

// TestCommandsAreInReference requires that the reference names each command of strata and of
// strata-cluster.
func TestCommandsAreInReference(t *testing.T) {
	w := workspace(t)
	for _, of := range []struct {
		page, folder, before string
		least                int
	}{
		{"commands.md", "generator/internal/cli", "`strata ", 9},
		{"cluster.md", "operator/cluster/internal/cli", "strata cluster (?:upgrade )?", 9},
	} {
		page := read(t, filepath.Join(w.Root, "docs", "guide", "reference", of.page))
		files, err := filepath.Glob(filepath.Join(w.Root, filepath.FromSlash(of.folder), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, file := range files {
			for _, found := range commandName.FindAllStringSubmatch(read(t, file), -1) {
				named := regexp.MustCompile(of.before + found[1] + `\b`)
				if count++; found[1] != "strata" && !named.MatchString(page) {
					t.Errorf("docs/guide/reference/%s does not name the command %s, which %s declares", of.page, found[1], filepath.Base(file))
				}
			}
		}
		if count < of.least {
			t.Errorf("found %d commands in %s", count, of.folder)
		}
	}
}
