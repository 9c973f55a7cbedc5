package engine_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/analysis/removals"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/progress"
)

// corpus returns the folder of the published ARM schemas. It is below STRATA_CORPORA, or in
// ../shared/corpora beside the repository. Without it the test is skipped.
func corpus(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("STRATA_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "corpora")
	}
	dir, err := filepath.Abs(filepath.Join(dir, "arm"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "phenomena.tsv")); err != nil {
		t.Skipf("needs corpora: there is no corpus of ARM schemas at %s; set STRATA_CORPORA to the folder that holds arm/phenomena.tsv", dir)
	}
	return dir
}

// phenomenon is a row of phenomena.tsv: a property that has another name now.
type phenomenon struct{ kind, resource, old, last, new string }

func phenomena(t *testing.T, dir string) []phenomenon {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(dir, "phenomena.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var out []phenomenon
	for line := range strings.Lines(string(body)) {
		c := strings.Split(strings.TrimSpace(line), "\t")
		if len(c) < 10 || c[1] != "probable-rename" && c[1] != "case-only-rename" {
			continue
		}
		to, _, _ := strings.Cut(strings.TrimPrefix(c[9], "-> "), " ")
		out = append(out, phenomenon{c[1], c[2], last(c[3]), c[4], last(to)})
	}
	return out
}

// last returns the name at the end of a path.
func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// check runs strata check on the whole corpus, with resources in the configuration.
func check(t *testing.T, dir, resources string) (engine.CheckResult, error) {
	t.Helper()
	config := t.TempDir()
	write(t, config, "strata.yaml", fmt.Sprintf(`apiVersion: strata.dev/v1alpha1
kind: Generation
sources: [{arm: {root: %q}}]
output: {dir: api, module: example.com/demo/api}
groups: {suffix: example.com}
%s`, filepath.Join(dir, "schemas"), resources))
	return engine.Engine{}.Check(t.Context(), engine.CheckRequest{Request: engine.Request{
		Config: filepath.Join(config, "strata.yaml"), Messages: new(diag.List),
		Sources: diag.NewSources(nil), Progress: progress.New(io.Discard, false),
	}})
}

// TestCheckOfCorpus checks that the known renames are proposed, and that changes of letter
// case alone are not. After every line is pasted, nothing is reported any more.
func TestCheckOfCorpus(t *testing.T) {
	long(t)
	dir := corpus(t)
	result, err := check(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, p := range phenomena(t, dir) {
		f := p.finding(result.Findings)
		switch {
		case p.kind == "case-only-rename":
			if f != nil && f.IsRename() && strings.EqualFold(f.Candidates[0].Name, p.old) {
				t.Errorf("%s %s differs by letter case alone, and is listed", p.resource, p.old)
			}
		case f == nil || !f.IsRename() || f.Candidates[0].Name != p.new:
			t.Errorf("%s %s of %s is not proposed as %s: %+v", p.resource, p.old, p.last, p.new, f)
		default:
			checked++
		}
	}
	if checked < 30 {
		t.Errorf("only %d renames were checked", checked)
	}
	pasteAll(t, dir, result.Findings)
}

// pasteAll pastes all lines, and the lines for objects that can be compared only after their own
// rename is declared.
func pasteAll(t *testing.T, dir string, all []*removals.Finding) {
	t.Helper()
	left := all
	for round := 0; len(left) > 0; round++ {
		if round == rounds {
			t.Fatalf("still not assessed: %s: %s", left[0].Below(), left[0].Line())
		}
		again, err := check(t, dir, pasted(all))
		if err != nil {
			t.Fatalf("a pasted line is at fault: %v", err)
		}
		left = again.Findings
		all = append(all, left...)
	}
}

// rounds is the depth of renames within renamed objects of the corpus.
const rounds = 4

// finding returns the most likely finding about the phenomenon's property; nil if there is none.
func (p phenomenon) finding(all []*removals.Finding) *removals.Finding {
	at := slices.IndexFunc(all, func(f *removals.Finding) bool {
		return strings.EqualFold(f.Property, p.old) && strings.HasPrefix(p.resource, "microsoft."+f.Group+"/")
	})
	if at < 0 {
		return nil
	}
	return all[at]
}

// pasted returns the lines of all findings in the form of strata.yaml.
func pasted(all []*removals.Finding) string {
	type subject struct{ group, version, typ string }
	lines := map[subject][]string{}
	for _, f := range all {
		at := subject{f.Group, f.Version, f.Type}
		lines[at] = append(lines[at], f.Line())
	}
	groups := map[string]map[string]string{}
	for at, of := range lines {
		if groups[at.group] == nil {
			groups[at.group] = map[string]string{}
		}
		groups[at.group][at.version] += fmt.Sprintf("      %s:\n        %s\n", at.typ, strings.Join(of, "\n        "))
	}
	var b strings.Builder
	b.WriteString("resources:\n")
	for group, versions := range groups {
		fmt.Fprintf(&b, "  %s:\n", group)
		for version, types := range versions {
			fmt.Fprintf(&b, "    %q:\n%s", version, types)
		}
	}
	return b.String()
}
