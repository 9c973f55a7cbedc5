package site

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestContentFiles requires one page for each file: the README of docs is not that of the site.
func TestContentFiles(t *testing.T) {
	for source, want := range map[string]string{
		"README.md":                 "_index.md",
		"docs/README.md":            "contents.md",
		"docs/guide/README.md":      "guide/_index.md",
		"docs/guide/howto/a.md":     "guide/howto/a.md",
		"docs/guide/howto/READY.md": "guide/howto/READY.md",
	} {
		if got := contentFile(source); got != want {
			t.Errorf("%s becomes %s, want %s", source, got, want)
		}
	}
}

// TestFrontMatter writes pages, and reads what Hugo reads of them: the description is the first
// paragraph, without markup.
func TestFrontMatter(t *testing.T) {
	root, work := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"README.md":             "# Strata\n\n| a | table |\n",
		"docs/guide/README.md":  "# Guide\n\n- [b](howto/b.md)\n\nNot the first.\n",
		"docs/guide/howto/a.md": "# `A`\n\nThe *first* line of [a page](b.md)\nand the second.\n\nAnother one.\n",
		"docs/guide/howto/b.md": "# B\n\n```\ncode\n```\n\nAfter code.\n",
		"docs/notes.txt":        "no page",
	} {
		if err := written(filepath.Join(root, filepath.FromSlash(name)), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	p, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.write(work); err != nil {
		t.Fatal(err)
	}
	type front struct{ Title, Source, Description string }
	got, weights := map[string]front{}, map[string]int{}
	for _, file := range []string{"_index.md", "guide/_index.md", "guide/howto/_index.md", "guide/howto/a.md", "guide/howto/b.md"} {
		text, err := os.ReadFile(filepath.Join(work, "content", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		var f struct {
			front
			Weight int
		}
		if err := json.NewDecoder(strings.NewReader(string(text))).Decode(&f); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		got[file], weights[file] = f.front, f.Weight
	}
	want := map[string]front{
		"_index.md":             {"Strata", "README.md", ""},
		"guide/_index.md":       {"Guide", "docs/guide/README.md", ""},
		"guide/howto/_index.md": {"How-to guides", "docs/guide/howto/README.md", ""},
		"guide/howto/a.md":      {"A", "docs/guide/howto/a.md", "The first line of a page and the second."},
		"guide/howto/b.md":      {"B", "docs/guide/howto/b.md", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("front matter (-want +got):\n%s", diff)
	}
	if a, b := weights["guide/howto/a.md"], weights["guide/howto/b.md"]; b != 1 || a <= b {
		t.Errorf("the page that the guide links has the weight %d, the other one %d", b, a)
	}
	if len(p.all) != 4 {
		t.Errorf("there are %d pages", len(p.all))
	}
}

// TestSizeOfPictures reads the sizes of pictures, rounded up, and refuses those without one.
func TestSizeOfPictures(t *testing.T) {
	for _, test := range []struct {
		svg, fault    string
		width, height int
	}{
		{svg: `<svg viewBox="0 0 10.2 20"/>`, width: 11, height: 20},
		{svg: `<svg viewBox="-5 0 10000 1"/>`, width: 10_000, height: 1},
		{svg: `<svg viewBox="0 0 10 0"/>`, fault: "the size 0"},
		{svg: `<svg viewBox="0 0 10001 5"/>`, fault: "the size 10001"},
		{svg: `<svg viewBox="0 0 10 wide"/>`, fault: "the size wide"},
		{svg: `<svg viewBox="0 0 10"/>`, fault: "has no viewBox of four numbers"},
		{svg: `<svg viewBox="0 0 10 10 10"/>`, fault: "has no viewBox of four numbers"},
		{svg: `<svg`, fault: "read p.svg"},
	} {
		file := filepath.Join(t.TempDir(), "p.svg")
		if err := written(file, []byte(test.svg)); err != nil {
			t.Fatal(err)
		}
		width, height, err := size(file)
		if width != test.width || height != test.height || (err != nil) != (test.fault != "") || err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%s: %d x %d, %v", test.svg, width, height, err)
		}
	}
}

// TestBuildNeedsVersions requires that nothing is removed where no version would replace it.
func TestBuildNeedsVersions(t *testing.T) {
	out := t.TempDir()
	if err := Build(t.Context(), ".", out, nil); err == nil || !strings.Contains(err.Error(), "no version") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(out); err != nil {
		t.Errorf("the folder has gone: %v", err)
	}
}

// TestStateOf requires another state after a change of README.md or a page, and the same one after
// a change beside them.
func TestStateOf(t *testing.T) {
	root := t.TempDir()
	seen := map[State]string{}
	for _, step := range []struct {
		file, text string
		isNew      bool
	}{{"README.md", "1", true}, {"README.md", "12", true}, {"other.md", "1", false}, {"docs/a.md", "1", true}, {"docs/b/c.svg", "1", true}} {
		if err := written(filepath.Join(root, filepath.FromSlash(step.file)), []byte(step.text)); err != nil {
			t.Fatal(err)
		}
		now := StateOf(root)
		if _, isOld := seen[now]; isOld == step.isNew {
			t.Errorf("%s = %s: the state is that after %s", step.file, step.text, seen[now])
		}
		seen[now] = step.file
	}
}
