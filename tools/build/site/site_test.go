package site

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/build/modules"
)

// siteFolder is that of the built site; empty as long as no test has needed it.
var siteFolder string

// built is the folder of the site of this checkout, in two versions.
var built = sync.OnceValues(func() (string, error) {
	w, err := modules.Find(".")
	if err != nil {
		return "", err
	}
	out, err := os.MkdirTemp("", "strata-site-test-")
	if err != nil {
		return "", err
	}
	siteFolder = out
	return out, Build(ctx, filepath.Join(w.Root, "tools", "build", "site"), out, []Version{
		{Name: "main", Root: w.Root},
		{Name: "v0.0.1", Folder: "v0.0.1", Root: w.Root},
	})
})

func TestMain(m *testing.M) {
	code := m.Run()
	if siteFolder != "" {
		_ = os.RemoveAll(siteFolder)
	}
	os.Exit(code)
}

// site returns the folder of the built site.
func site(t *testing.T) string {
	t.Helper()
	out, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestLinksHaveTargets checks the pages of this checkout: links, places within pages, pictures,
// and that three links lead from the first page to any other.
func TestLinksHaveTargets(t *testing.T) {
	for _, version := range []string{".", "v0.0.1"} {
		faults, err := Check(filepath.Join(site(t), version))
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range faults {
			t.Errorf("%s: %s", version, fault)
		}
	}
}

// TestEveryPageIsBuilt requires a page for each file of docs, with its title.
func TestEveryPageIsBuilt(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	p, err := read(w.Root)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.all) < 100 {
		t.Errorf("docs has %d pages only", len(p.all))
	}
	for _, g := range p.all {
		file := strings.TrimSuffix(strings.Replace(g.file, "_index.md", "index.md", 1), ".md") + ".html"
		text, err := os.ReadFile(filepath.Join(site(t), filepath.FromSlash(strings.ToLower(file))))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(text), "<h1") {
			t.Errorf("%s has no title", file)
		}
	}
}

// TestCheckFindsFaults gives Check a site with one fault of each kind.
func TestCheckFindsFaults(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"index.html": `<a href="a.html">a</a> <a href="gone.html">gone</a> <a href="a.html#no">no</a> <img src="p.svg">`,
		"a.html":     `<h2 id="yes"></h2><a href="index.html"></a><a href="#yes"></a><a href="/b/c.html">root</a><a href="b/1.html"></a>`,
		"b/1.html":   `<a href="2.html"></a><a href="http://example.org/">plain</a><a href="//example.org/">other host</a>`,
		"b/2.html":   `<a href="3.html"></a><a href="https://example.org/">fine</a><a href="mailto:a@example.org">mail</a><img src="data:,">`,
		"404.html":   ``,
		"b/3.html":   ``,
	} {
		if err := written(filepath.Join(folder, filepath.FromSlash(name)), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Check(folder)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a.html: /b/c.html: begins at the server's root, where the site may not be",
		"b/1.html: //example.org/: is no https address",
		"b/1.html: http://example.org/: is no https address",
		"b/3.html is more than 3 links away from index.html",
		"index.html: a.html#no: the page has no such place",
		"index.html: gone.html: there is no such file",
		"index.html: p.svg: there is no such file",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestPagesWithFaults checks the messages for pages that cannot be built.
func TestPagesWithFaults(t *testing.T) {
	const ok = "# Title\n"
	for _, test := range []struct{ name, page, want string }{
		{"no title", "text\n", `docs/a.md has no title: begin it with a line such as "# Title"`},
		{"a diagram without a title", ok + "```mermaid\nflowchart LR\n  a --> b\n```\n", `a diagram has no title: add a line such as "accTitle:`},
		{"a diagram without a picture", ok + "```mermaid\nflowchart LR\n  accTitle: X\n  a --> b\n```\n", `the diagram "X" has no picture: go tool mage docs:pictures renders it`},
		{"a chart that is not there", ok + "![chart](x.svg)\n", "x.svg"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range map[string]string{"README.md": ok, "docs/a.md": test.page} {
				if err := written(filepath.Join(root, filepath.FromSlash(name)), []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := read(root); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// TestMenuHasOrderOfGuide requires pages in the order in which the guide links them.
func TestMenuHasOrderOfGuide(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"README.md":             "# T\n",
		"docs/guide/README.md":  "# Guide\n[z](howto/z.md) [a](howto/a.md#x) [z](howto/z.md)\n",
		"docs/guide/howto/a.md": "# A\n",
		"docs/guide/howto/b.md": "# B\n",
		"docs/guide/howto/z.md": "# `Z` and [more](../README.md)\n",
	} {
		if err := written(filepath.Join(root, filepath.FromSlash(name)), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	p, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(p.all, func(a, b page) int { return a.weight - b.weight })
	var got []string
	for _, g := range p.all[:3] {
		got = append(got, g.title)
	}
	if diff := cmp.Diff([]string{"Z and more", "A"}, got[:2]); diff != "" {
		t.Error(diff)
	}
}
