package history

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/tools/corpus"
)

// Site has the module for the trees of histories, and the generator.
type Site struct {
	corpus.Command
	corpus.Module
}

// GenerateStages generates all stages of a history, each with the ledger of the stage before.
func (s Site) GenerateStages(ctx context.Context, subject Subject, h History) ([]Tree, error) {
	var trees []Tree
	for i, stage := range h.Stages {
		tree := Tree{Subject: subject, Stage: stage, History: h.Name}
		var before *Tree
		if i > 0 {
			before = &trees[i-1]
		}
		if err := s.generate(ctx, &tree, before); err != nil {
			return nil, fmt.Errorf("%s: %w", tree.Path(), err)
		}
		trees = append(trees, tree)
	}
	return trees, nil
}

// generate makes a tree anew. What did not change since it was last made is found in the build
// cache all the same.
func (s Site) generate(ctx context.Context, t, before *Tree) error {
	project := corpus.Project{Dir: filepath.Join(s.Dir, filepath.FromSlash(t.Path()))}
	t.Output = project.Output()
	if err := os.RemoveAll(project.Dir); err != nil {
		return fmt.Errorf("begin anew: %w", err)
	}
	if before != nil && !t.Forgets {
		const ledger = "ledger"
		if err := os.CopyFS(filepath.Join(t.Output, ledger), os.DirFS(filepath.Join(before.Output, ledger))); err != nil {
			return fmt.Errorf("inherit ledger: %w", err)
		}
	}
	kind := ""
	if before != nil {
		kind = before.Resources[0].Kind
	}
	if err := s.write(t, kind); err != nil {
		return err
	}
	if _, err := s.Generate(ctx, project); err != nil {
		return err
	}
	manifest, err := corpus.ReadManifest(t.Output)
	if err != nil {
		return err
	}
	for _, row := range manifest.Resources {
		if strings.EqualFold(row.Source.Type, t.of(t.Subject)) {
			t.Resources = append(t.Resources, row)
		}
	}
	if len(t.Resources) == 0 {
		return fmt.Errorf("nothing was generated of %s", t.of(t.Subject))
	}
	return nil
}

// write writes the configuration of a stage, and its hand-written files.
func (s Site) write(t *Tree, kind string) error {
	module := corpus.ModulePath + "/" + t.Path() + "/api"
	text, err := t.config(t.Subject, kind, module)
	if err != nil {
		return err
	}
	if err := s.WriteNew(t.Path()+"/strata.yaml", text); err != nil {
		return err
	}
	for name, body := range t.Written {
		if err := s.WriteNew(t.Path()+"/api/"+name, []byte(strings.ReplaceAll(body, "$API", module))); err != nil {
			return err
		}
	}
	return nil
}
