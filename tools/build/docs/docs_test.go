package docs

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/packages"
)

// testName is the name of a test function; a star at its end stands for any rest.
var testName = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9_]*\*?`)

// TestTestsThatTheSecurityPageNamesExist keeps the page honest: it promises that each limit has a test.
func TestTestsThatTheSecurityPageNamesExist(t *testing.T) {
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

// link is a link of Markdown to something that is neither a web page nor a place in the same page.
var link = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)

func TestLinksLeadSomewhere(t *testing.T) {
	w := workspace(t)
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
	for _, page := range pages {
		path := filepath.Join(w.Root, page)
		for _, match := range link.FindAllStringSubmatch(read(t, path), -1) {
			to, err := url.PathUnescape(match[1])
			if err != nil {
				t.Errorf("%s: the link to %s cannot be read: %v", page, match[1], err)
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), filepath.FromSlash(to))); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", page, match[1])
			}
		}
	}
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
