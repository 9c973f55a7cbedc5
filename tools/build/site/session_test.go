package site

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/build/modules"
)

// TestSessionIsThatOfDemo requires the picture that the story of the demo gives today.
func TestSessionIsThatOfDemo(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	want, err := RenderSession(w.Root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(w.Root, filepath.FromSlash(Session)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("go tool mage docs:pictures renders another picture:\n%s", diff)
	}
}

func TestSession(t *testing.T) {
	text := "\n1/7  Skipped.\n\n    $ no\n"
	for _, part := range []string{"2", "3", "4", "5", "6"} {
		text += "\n" + part + "/7  Part " + part + ".\n\n    $ diff a b\n    -old\n    +new\n\n    $ then\n"
	}
	text += "\n7/7  Skipped.\n"
	lines, err := session(text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	colors := map[string]string{}
	for _, l := range lines {
		got = append(got, l.text)
		colors[l.text] = l.color
	}
	whole := "$ diff a b,-old,+new,,$ then,,"
	want := "# Part 4.,,$ diff a b,-old,+new,,# Part 5.,,$ diff a b,-old,+new,,# Part 6.,," + strings.TrimSuffix(whole, ",,")
	if diff := cmp.Diff(strings.Split(want, ","), got); diff != "" {
		t.Error(diff)
	}
	if colors["-old"] != goneColor || colors["+new"] != newColor || colors["$ then"] != commandColor {
		t.Error(colors)
	}
	if _, err := session("\n4/7  x\n\n    $ y\n"); err == nil {
		t.Error("a story without the parts has a picture")
	}
}

func TestFolded(t *testing.T) {
	long := "$ " + strings.Repeat("word ", 40) + strings.Repeat("x", 200)
	var got strings.Builder
	for i, l := range folded(long, plainColor, "    ") {
		if len(l.text) > columns || i > 0 && !strings.HasPrefix(l.text, "    ") {
			t.Errorf("%q", l.text)
		}
		got.WriteString(strings.TrimPrefix(l.text, "    "))
	}
	if strings.ReplaceAll(got.String(), " ", "") != strings.ReplaceAll(long, " ", "") {
		t.Error(got.String())
	}
}
