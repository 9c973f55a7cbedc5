package engine

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/evidence"
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
	ch.checkEvidence()
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

// checkEvidence reports versions whose objects clusters may have, unless each file shows that its
// cluster has none. Only versions that a run has served, or whose storage version was the hub, can
// have objects.
func (ch Chain) checkEvidence() {
	files := ch.evidence()
	for _, g := range ch.chain.Groups {
		for _, r := range g.Resources {
			before := ch.Ledger.Find(r.Model.Type)
			if before == nil {
				continue
			}
			for _, v := range before.Model.Versions {
				p := ch.prunes(r.Model, v.Name)
				label, _ := chain.Label(v.Name)
				if p == nil || !slices.Contains(before.Served, label) && !slices.Contains(before.Hubs, label) {
					continue
				}
				ch.checkProved(*p, r, label, files)
			}
		}
	}
}

// proved is a file of evidence that could be read.
type proved struct {
	name string
	*evidence.Evidence
}

// evidence reads the files, and reports those that cannot be read, or are older than another one of
// their cluster.
func (ch Chain) evidence() []proved {
	var all []proved
	for _, of := range ch.config.Versions.Evidence {
		p, err := evidence.Read(of.File)
		if err != nil {
			ch.Messages.Add(diag.Errorf(of.Pos, "cannot use the evidence %s: %v", of.Name, err).
				WithHint("write it again in its cluster: strata cluster upgrade verify --save-evidence %s", of.Name))
			continue
		}
		if i := slices.IndexFunc(all, func(other proved) bool { return other.Cluster == p.Cluster }); i >= 0 {
			older, newer := all[i].name, of.Name
			if p.Time.Before(all[i].Time) {
				older, newer = newer, older
			}
			ch.Messages.Add(diag.Errorf(of.Pos, "%s and %s are evidence of the same cluster", newer, older).
				WithHint("remove %s, which is older", older))
			continue
		}
		all = append(all, proved{of.Name, p})
	}
	return all
}

// checkProved reports why files do not show that nothing is left of a version of a resource.
func (ch Chain) checkProved(p config.Label, r *chain.Resource, label string, files []proved) {
	if ch.config.Versions.Evidence == nil {
		ch.Messages.Add(diag.Errorf(p.Pos, "nothing proves that no cluster has objects of %s in %s", r.Model.Type, p.Version).
			WithHint("in each cluster, run strata cluster upgrade prune --yes --save-evidence FILE, and list the files below versions; an empty list states that no cluster has this version").
			WithPaste("evidence: [evidence/west.json]"))
		return
	}
	for _, of := range files {
		if why := of.Refuses(r.Model.Plural+"."+r.Group.Name, label); why != nil {
			ch.Messages.Add(diag.Errorf(p.Pos, "%s cannot be pruned by the evidence %s: %s", p, of.name, why.Text).WithHint("%s", why.Hint))
		}
	}
}

func sortedKeys[V any](set map[string]V) []string { return slices.Sorted(maps.Keys(set)) }
