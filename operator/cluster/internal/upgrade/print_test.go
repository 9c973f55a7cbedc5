package upgrade

import (
	"encoding/xml"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/operator/cluster/internal/references"
)

// printed is a plan with a finding whose texts have a meaning in Markdown and XML.
var printed = Plan{Kinds: []Kind{
	{
		CRD: "widgets.example.com", From: "v1", To: "v2", Objects: 3, Originals: map[string]int{"v1": 3}, Writes: 3, Rate: 200, Seconds: 0.015, Largest: 100,
		Findings: []Finding{{Reason: Lost, Version: "v1", Objects: 2, Example: "a/b", Path: "spec.<x>", Message: "a|b *c* &\x1b"}, {Reason: Lost, Version: "v2", Objects: 1, Message: "other"}},
	},
	{CRD: "gadgets.example.com", To: "v1", New: true},
}}

// TestMarkdown prints tables whose cells have no markup of others.
func TestMarkdown(t *testing.T) {
	var out strings.Builder
	printed.Markdown(&out)
	want := `| CRD | OBJECTS | HUB | CHANGES | WRITES | A SECOND | TIME | LARGEST |
|---|---|---|---|---|---|---|---|
| widgets.example.com | 3 | v1 -\> v2 | none | 3 | at most 200 | 0s | 100 |
| gadgets.example.com | 0 | v1 | new | 0 | - | - | 0 |

- widgets.example.com: original versions: v1 3

| FINDING | CRD | VERSION | OBJECTS | EXAMPLE | PATH | MESSAGE |
|---|---|---|---|---|---|---|
| Lost | widgets.example.com | v1 | 2 | a/b | spec.\<x\> | a\|b \*c\* \&  |
| Lost | widgets.example.com | v2 | 1 |  |  | other |
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestJUnit reads what is printed as XML, and counts tests and failures.
func TestJUnit(t *testing.T) {
	var out strings.Builder
	if err := printed.JUnit(&out); err != nil {
		t.Fatal(err)
	}
	var got suites
	if err := xml.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 2*len(reasons) || got.Failures != 1 || len(got.Suites) != 2 || len(got.Suites[0].Cases) != len(reasons) {
		t.Fatalf("%s", out.String())
	}
	for _, want := range []property{{"objects", "3"}, {"writes", "3"}, {"writes a second", "at most 200"}, {"time", "0s"}, {"largest", "100"}} {
		if !slices.Contains(got.Suites[0].Values, want) {
			t.Errorf("the suite lacks %v", want)
		}
	}
	at := slices.Index(reasons, Lost)
	want := failure{Message: "a|b *c* &\ufffd", Text: "v1 a/b spec.<x> (2 objects): a|b *c* &\ufffd\nv2 (1 object): other\n"}
	if diff := cmp.Diff(&want, got.Suites[0].Cases[at].Failure); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, c := range got.Suites[1].Cases {
		if c.Failure != nil || c.Class != "gadgets.example.com" {
			t.Errorf("%+v", c)
		}
	}
}

// TestReasons checks that each reason of the plan is a test of JUnit, and is in the reference.
func TestReasons(t *testing.T) {
	var source []byte
	for _, name := range []string{"plan.go", "../references/find.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	reference, err := os.ReadFile("../../../../docs/guide/reference/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, found := range regexp.MustCompile(`(?m)^\t([A-Z]\w+) += "([A-Z]\w+)"$`).FindAllStringSubmatch(string(source), -1) {
		all = append(all, found[2])
		if !strings.Contains(string(reference), "| `"+found[2]+"` |") {
			t.Errorf("the reference lacks %s", found[2])
		}
	}
	if diff := cmp.Diff(all, reasons); diff != "" {
		t.Errorf("(-plan +reasons):\n%s", diff)
	}
}

// TestNotes checks that notes and what was not checked are printed, and are no findings.
func TestNotes(t *testing.T) {
	p := &Plan{
		Kinds:      []Kind{{CRD: "a.b", To: "v1storage", Findings: []Finding{{Reason: references.Replica, Version: "v2", Objects: 1, Example: "pod a/b", Message: "m", Note: true}}}},
		NotChecked: []references.Unchecked{{What: "Helm\x1b", Reason: "no right"}},
	}
	var table, markdown, junit strings.Builder
	p.Table(&table)
	p.Markdown(&markdown)
	if err := p.JUnit(&junit); err != nil || p.Failed() {
		t.Fatal(p.Failed(), err)
	}
	for form, text := range map[string]string{"table": table.String(), "markdown": markdown.String()} {
		if !strings.Contains(text, "Replica (note)") || !strings.Contains(text, "Helm ") || strings.Contains(text, "\x1b") || !strings.Contains(text, noFindings) {
			t.Errorf("%s:\n%s", form, text)
		}
	}
	if text := junit.String(); strings.Contains(text, "<failure") || !strings.Contains(text, `<skipped message="no right">`) {
		t.Errorf("%s", text)
	}
}
