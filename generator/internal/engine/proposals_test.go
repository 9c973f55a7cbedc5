package engine_test

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/analysis/removals"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/progress"
)

// proposing is a project in a folder with one source of CRDs.
type proposing struct{ dir, source string }

// with writes the configuration with resources, and returns a request for it.
func (p proposing) with(t *testing.T, resources string) engine.Request {
	t.Helper()
	write(t, p.dir, "strata.yaml", fmt.Sprintf(`apiVersion: strata.dev/v1alpha1
kind: Generation
sources: [{crd: {root: %q}}]
output: {dir: api, module: example.com/shop/api}
%s`, p.source, resources))
	return engine.Request{
		Config: filepath.Join(p.dir, "strata.yaml"), Messages: new(diag.List),
		Sources: diag.NewSources(nil), Progress: progress.New(io.Discard, false),
	}
}

func (p proposing) check(t *testing.T, resources string) []*removals.Finding {
	t.Helper()
	r := p.with(t, resources)
	result, err := engine.Engine{}.Check(t.Context(), engine.CheckRequest{Request: r})
	if err != nil {
		t.Fatalf("%v\n%v\n%s", err, r.Messages, resources)
	}
	return result.Findings
}

// pasteEach pastes the line of each finding, and those of findings that appear after that, and
// generates. It returns all findings.
func (p proposing) pasteEach(t *testing.T) []*removals.Finding {
	t.Helper()
	all := p.check(t, "")
	if len(all) == 0 {
		return nil
	}
	for left := all; len(left) > 0; {
		left = p.check(t, pasted(all))
		if all = append(all, left...); len(all) > 1000 {
			t.Fatalf("still not assessed: %s: %s", left[0].Below(), left[0].Line())
		}
	}
	r := p.with(t, pasted(all))
	if _, err := (engine.Engine{}).Generate(t.Context(), engine.GenerateRequest{Request: r}); err != nil {
		t.Errorf("with all lines: %v\n%v", err, r.Messages)
	}
	return all
}

func proposedLines(all []*removals.Finding) string {
	var b strings.Builder
	for _, f := range all {
		below := f.Below()
		fmt.Fprintf(&b, "%.2f %s: %s\n", f.Likelihood(), below[strings.LastIndexByte(below, '.')+1:], f.Line())
	}
	return b.String()
}

// TestProposals checks which lines strata check proposes.
func TestProposals(t *testing.T) { golden.Run(t, "testdata/proposals.txtar", "lines", proposals) }

// proposals returns the proposed lines. It checks that they can be pasted: all together, and each
// alone. What is assessed is not proposed, and no change is once both versions are generated
// without it.
func proposals(t *testing.T, files golden.Files) string {
	t.Helper()
	project := func() proposing {
		dir := t.TempDir()
		write(t, dir, "crds/crd.yaml", files["crd.yaml"])
		return proposing{dir, "crds"}
	}
	all := project().pasteEach(t)
	for _, f := range all {
		p := project()
		for _, left := range p.check(t, pasted([]*removals.Finding{f})) {
			if left.Below() == f.Below() && left.Property == f.Property {
				t.Errorf("%s: %s is proposed again after it was pasted: %s", f.Below(), f.Line(), left.Line())
			}
		}
	}

	p := project()
	const assessed = `resources:
  shop-example-com:
    v1:
      StoreSpec:
        tier: {conversion: auto}
        paused: {removed: assessed}
      StoreLimits:
        seconds: {removed: assessed}
`
	for _, f := range p.check(t, assessed) {
		if property := f.Property; property == "tier" || property == "paused" || property == "limits.seconds" {
			t.Errorf("%s: %s is proposed, although it is assessed", f.Below(), f.Line())
		}
	}

	p = project()
	if _, err := (engine.Engine{}).Generate(t.Context(), engine.GenerateRequest{Request: p.with(t, "")}); err != nil {
		t.Fatal(err)
	}
	for _, f := range p.check(t, "") {
		if f.IsChange() || f.Likelihood() >= removals.Likely && f.Candidates[0].Change != "" {
			t.Errorf("%s: %s is proposed, although both versions are generated without it", f.Below(), f.Line())
		}
	}
	p.pasteEach(t)
	return proposedLines(all)
}

// TestProposalsOfVendors checks that all lines that strata check proposes for the CRDs of vendors
// can be pasted.
func TestProposalsOfVendors(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(filepath.Dir(corpus(t)), "crds", "*"))
	if err != nil || len(dirs) < 4 {
		t.Fatalf("CRDs of %d vendors: %v", len(dirs), err)
	}
	changes := 0
	for _, dir := range dirs {
		for _, f := range (proposing{t.TempDir(), dir}).pasteEach(t) {
			if f.IsChange() {
				t.Logf("%s: %s: %s", filepath.Base(dir), f.Below(), f.Line())
				changes++
			}
		}
	}
	if changes == 0 {
		t.Error("no change is proposed: Cluster API moves infrastructureTemplate")
	}
}
