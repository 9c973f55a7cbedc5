package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
)

// kubeScheme begins the name of a cluster in place of a folder.
const kubeScheme = "kube://"

func isCluster(name string) bool { return strings.HasPrefix(name, kubeScheme) }

// inCluster returns the arguments that select a context of the kubeconfig.
func inCluster(context string) []string {
	if context == "" {
		return nil
	}
	return []string{"--context=" + context}
}

// openBoth opens the two trees of a comparison. Of a cluster it reads the CRDs of the groups that
// the other tree has.
func (d *comparison) openBoth(ctx context.Context) (old, later *tree, err error) {
	if isCluster(d.Old) && !isCluster(d.New) {
		if later, err = d.open(ctx, d.New, nil); err == nil {
			old, err = d.open(ctx, d.Old, groupsOf(later.resources))
		}
		return old, later, err
	}
	if old, err = d.open(ctx, d.Old, nil); err == nil {
		later, err = d.open(ctx, d.New, groupsOf(old.resources))
	}
	return old, later, err
}

// groupsOf returns the API groups of resources whose types have them, as those of CRDs do.
func groupsOf(resources []*model.Resource) []string {
	var out []string
	for _, r := range resources {
		if group, _, found := strings.Cut(r.Type, "/"); found && !slices.Contains(out, group) {
			out = append(out, group)
		}
	}
	return out
}

// openCluster reads the CRDs of some groups from a cluster; of all groups if there are none.
func (d *comparison) openCluster(ctx context.Context, t *tree, name string, groups []string) error {
	if d.Config != "" {
		return diag.Errorf(diag.Pos{}, "%s has CRDs, and --config compares the sources of a configuration", name).
			WithHint("compare two sets of CRDs without --config, such as those that strata generate writes").WithPaste("  strata diff " + name + " api/crds\n")
	}
	d.Progress.Stage("reading CRDs", 0)
	text, err := d.Cluster(ctx, nil, slices.Concat([]string{"crds"}, inCluster(strings.TrimPrefix(name, kubeScheme)), groups)...)
	if err != nil {
		return err
	}
	if t.temp, err = os.MkdirTemp("", "strata-diff-"); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if err := os.WriteFile(filepath.Join(t.temp, "crds.yaml"), text, 0o600); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return d.read(ctx, t, config.Source{CRD: &config.Tree{Root: t.temp, Include: []string{"*.yaml"}}})
}

// countUses asks the cluster how many objects set the properties of changes.
func (d *comparison) countUses(ctx context.Context, all []diff.Comparison) error {
	questions, of := diff.Questions(all)
	if len(questions) == 0 {
		return nil
	}
	d.Progress.Stage("counting objects", 0)
	input, err := json.Marshal(questions)
	if err != nil {
		return fmt.Errorf("count objects: %w", err)
	}
	text, err := d.Cluster(ctx, input, slices.Concat([]string{"usage"}, inCluster(d.Context))...)
	if err != nil {
		return err
	}
	var answers []diff.Answer
	if err := json.Unmarshal(text, &answers); err != nil || len(answers) != len(questions) {
		return diag.Errorf(diag.Pos{}, "strata cluster usage gave %d answers to %d questions", len(answers), len(questions)).
			WithHint("install strata and strata-cluster of one release")
	}
	diff.Answered(all, of, answers)
	return nil
}
