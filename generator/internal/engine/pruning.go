package engine

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/model"
)

// pruning returns which parts of a pruned version are generated. Storage types are kept if stored
// objects, keys, compat packages or hand-written steps depend on them.
func (ag Augmented) pruning(resourceType, version string) chain.Pruning {
	r := &model.Resource{Type: resourceType}
	if ag.prunes(r, version) == nil {
		return chain.Whole
	}
	e := ag.Ledger.Find(resourceType)
	if e == nil {
		return chain.Dropped
	}
	label, _ := chain.Label(version)
	kept := slices.Contains(e.Hubs, label) || slices.ContainsFunc(e.Keys, func(k chain.KeyRow) bool {
		return k.Version == version || k.Compat == label
	})
	kept = kept || slices.ContainsFunc(e.Made, func(m ledger.Made) bool { return m.How == ledger.Declared && m.Version == version })
	folder := path.Join(ag.folderOf(r), label, "storage")
	for _, s := range ag.Methods {
		kept = kept || s.Folder == folder || strings.HasPrefix(s.Folder, folder+"/")
	}
	if kept {
		return chain.Stored
	}
	return chain.Dropped
}

// prunes returns the entry of versions.prune for a version, or nil.
func (run *Run) prunes(r *model.Resource, version string) *config.Label {
	for i, p := range run.config.Versions.Prune {
		if p.Is(run.folderOf(r), version) {
			return &run.config.Versions.Prune[i]
		}
	}
	return nil
}

// checkPruning reports entries of versions that cannot be pruned, or that do not exist.
func (ch Chain) checkPruning() {
	known := map[string]bool{}
	for _, r := range ch.Resources {
		for _, v := range r.Versions {
			known[v.Name], known[ch.folderOf(r)+"/"+v.Name] = true, true
		}
	}
	names := sortedKeys(known)
	for _, p := range ch.config.Versions.Prune {
		name := path.Join(p.Group, p.Version)
		if !known[name] && ch.Only.IsZero() {
			ch.Messages.Add(nearest(diag.Errorf(p.Pos, "there is no version %s to prune", name), name, names, "strata show prints the versions that there are"))
		}
	}
	for _, g := range ch.chain.Groups {
		for _, r := range g.Resources {
			if !r.Hub.Pruned {
				continue
			}
			p := ch.prunes(r.Model, r.Hub.Model.Name)
			ch.Messages.Add(diag.Errorf(p.Pos, "%s cannot be pruned: it is the hub of %s", r.Hub.Model.Name, r.Model.Type).
				WithHint("what the cluster stores is of this version; prune versions before it"))
		}
	}
}

func sortedKeys[V any](set map[string]V) []string { return slices.Sorted(maps.Keys(set)) }
