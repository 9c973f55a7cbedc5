package engine

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/emit"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/progress"
)

// TestStagesChangeNoValueThatTheyGet runs stages twice on one value: the second run must not see
// anything that the first has done.
func TestStagesChangeNoValueThatTheyGet(t *testing.T) {
	r := Request{Config: filepath.FromSlash("../../../schemas/crm/strata.yaml"), Messages: new(diag.List), Sources: diag.NewSources(nil), Progress: progress.New(io.Discard, false)}
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	sources, err := list(ctx, newRun(r, c))
	if err != nil {
		t.Fatal(err)
	}
	models, err := read(ctx, sources)
	if err != nil {
		t.Fatal(err)
	}
	declared := string(model.Print(models.Resources...))
	var texts []string
	var plans []map[string]string
	for range 2 {
		rf, err := refined(ctx, models)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(rf.text()))
		augmented, err := augment(ctx, rf)
		if err != nil {
			t.Fatal(err)
		}
		linked, err := link(ctx, augmented)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			planned, err := decide(ctx, linked, planOptions{})
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			for _, f := range emit.Files(ctx, planned.plan, planned.layout(), 1) {
				files[f.Path] = string(f.Body)
			}
			plans = append(plans, files)
		}
		texts = append(texts, string(rf.text()))
	}
	if now := string(model.Print(models.Resources...)); now != declared {
		t.Errorf("refining changes the models that were read:\n%s", cmp.Diff(declared, now))
	}
	for _, text := range texts[1:] {
		if text != texts[0] {
			t.Errorf("refined models differ:\n%s", cmp.Diff(texts[0], text))
		}
	}
	for _, files := range plans[1:] {
		if diff := cmp.Diff(plans[0], files); len(files) == 0 || diff != "" {
			t.Errorf("%d files differ:\n%s", len(files), diff)
		}
	}
}
