package wordlint_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/wordlint"
)

var update = flag.Bool("update", false, "lower the budget to what is found; findings may move between folders")

const budgetFile = "budget.txt"

// TestRepository compares the findings in the repository with the budget.
func TestRepository(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	findings, err := wordlint.Find(w.Root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(budgetFile)
	if err != nil {
		t.Fatal(err)
	}
	budget, err := wordlint.ParseBudget(string(text))
	if err != nil {
		t.Fatal(err)
	}
	found := wordlint.Count(findings)
	for _, rule := range []wordlint.Rule{wordlint.Words, wordlint.Names, wordlint.Columns, wordlint.Identifiers, wordlint.Generated} {
		t.Logf("%s: %d findings", rule, found.Total(rule))
		if *update && found.Total(rule) > budget.Total(rule) {
			t.Fatalf("there are %d findings of %s, more than the budget of all folders, %d", found.Total(rule), rule, budget.Total(rule))
		}
	}
	if *update {
		if err := os.WriteFile(budgetFile, []byte(found.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, d := range budget.Differences(found) {
		t.Error(d)
		for _, f := range findings {
			if d.Got > d.Want && d.Is(f) {
				t.Log(f)
			}
		}
	}
}

func TestFind(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "tree.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := txtar.Write(archive, root); err != nil {
		t.Fatal(err)
	}
	findings, err := wordlint.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range findings {
		got.WriteString(f.String() + "\n")
	}
	if want := string(archive.Comment); got.String() != want {
		t.Errorf("the findings are\n%s\nwant\n%s", got.String(), want)
	}
}

func TestDifferences(t *testing.T) {
	budget, err := wordlint.ParseBudget("a words 1\na columns 2\ngone names 1\n")
	if err != nil {
		t.Fatal(err)
	}
	found := wordlint.Count([]wordlint.Finding{
		{Rule: wordlint.Words, File: "a/a.go"}, {Rule: wordlint.Words, File: "a/b.go"},
		{Rule: wordlint.Columns, File: "a/a.go"}, {Rule: wordlint.Columns, File: "a/a.go"},
		{Rule: wordlint.Names, File: "new/a.go"},
	})
	var got []string
	for _, d := range budget.Differences(found) {
		got = append(got, d.String())
	}
	want := []string{
		"a has 2 findings of words, more than its budget of 1",
		"gone has 0 findings of names, fewer than its budget of 1: lower it with -update",
		"new has 1 findings of names, more than its budget of 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again, err := wordlint.ParseBudget(found.String())
	if diff := cmp.Diff(found.String(), again.String()); diff != "" || err != nil {
		t.Errorf("read again (%v):\n%s", err, diff)
	}
	for _, wrong := range []string{"a words", "a words many"} {
		if _, err := wordlint.ParseBudget(wrong); err == nil {
			t.Errorf("%q is a budget", wrong)
		}
	}
}
