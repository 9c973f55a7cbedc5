package engine

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/emit"
	"github.com/stratakube/strata/generator/internal/emit/crd"
	"github.com/stratakube/strata/generator/internal/emit/history"
	"github.com/stratakube/strata/generator/internal/emit/planfile"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/plan"
)

// scope is the set of resource versions that a run is about, and of the files that describe them.
// The zero value contains everything; --only limits it.
type scope struct {
	only    config.Only
	types   map[string]bool // in lower case; nil for all
	folders map[string]bool // of the groups of types
	groups  map[string]bool // the groups of types whose names are stated by their sources
	shared  []string        // folders that belong to no group

	folderOf func(*model.Resource) string // returns the folder of a resource's group
}

// checkScope reports a run whose scope is empty.
func (rf Refined) checkScope() {
	if !rf.Only.IsZero() && len(rf.scope.types) == 0 && len(rf.Omitted) == 0 {
		rf.Messages.Add(diag.Errorf(rf.config.At("only"), "--only asks for what only does not let in").WithHint("widen only, or drop --only"))
	}
}

// newScope returns the scope of the run. All other resources come from the ledger, and their
// files do not change.
func (rf Refined) newScope() scope {
	if rf.Only.IsZero() {
		return scope{}
	}
	s := scope{
		only: rf.Only, folderOf: rf.folderOf, types: map[string]bool{}, folders: map[string]bool{}, groups: map[string]bool{},
		shared: []string{rf.config.Install.Kustomize, rf.config.Install.Helm},
	}
	for _, r := range rf.Resources {
		if slices.ContainsFunc(r.Versions, func(v *model.Version) bool { return rf.Only.Allows(r.Type, v.Name) }) {
			s.types[strings.ToLower(r.Type)] = true
			s.folders[rf.folderOf(r)] = true
			s.groups[r.Group] = true
		}
	}
	return s
}

// folderOf returns the folder of a resource's group.
func (run *Run) folderOf(r *model.Resource) string { return run.folders.OfType(r.Type) }

// hasType reports whether the run is about some version of a resource type.
func (s scope) hasType(resource string) bool {
	return s.types == nil || s.types[strings.ToLower(resource)]
}

// hasFolder reports whether the run is about a resource in the folder of a group.
func (s scope) hasFolder(folder string) bool { return s.types == nil || s.folders[folder] }

// hasFile reports whether a file describes a resource version that the run is about.
func (s scope) hasFile(f emit.File) bool {
	return s.types == nil || len(f.Of) == 0 || slices.ContainsFunc(f.Of, func(k *plan.KindVersion) bool {
		return s.only.Allows(k.Kind.Resource.Model.Type, k.Version.Model.Name)
	})
}

// hasPath reports whether a path below the output folder belongs to a group that the run is
// about, or to no group.
func (s scope) hasPath(path string) bool {
	if slices.ContainsFunc(s.shared, func(folder string) bool { return folder != "" && strings.HasPrefix(path, folder+"/") }) {
		return true
	}
	if inOwn(path) || path == crdValues {
		return true // hasFile decides
	}
	group, rest, below := strings.Cut(path, "/")
	switch group {
	case reportsDir, history.Folder:
		group, _, below = strings.Cut(rest, "/")
	case planfile.Folder:
		group = strings.TrimSuffix(rest, ".json")
	case crd.Folder:
		if _, rest, below = strings.Cut(rest, "."); s.groups[strings.TrimSuffix(rest, ".yaml")] {
			return true
		}
		group, _, _ = strings.Cut(rest, ".")
	}
	return !below || s.hasFolder(group)
}

// judges reports whether a run can decide whether metadata matches anything. A run with --only
// may lack the resources that the metadata is about.
func (s scope) judges(folder, version, typ string, resources []*model.Resource) bool {
	return s.types == nil || slices.ContainsFunc(resources, func(r *model.Resource) bool {
		v := r.Version(version)
		return s.folderOf(r) == folder && v != nil && v.Def(typ) != nil &&
			slices.ContainsFunc(r.Versions, func(w *model.Version) bool { return chain.Compare(v.Name, w.Name) < 0 })
	})
}

// resources adds the rows of the previous manifest that the run is not about.
func (s scope) resources(rows []output.Resource, previous *output.Manifest) []output.Resource {
	if s.types == nil {
		return rows
	}
	rows = slices.DeleteFunc(rows, func(r output.Resource) bool { return !s.hasType(r.Source.Type) })
	for _, r := range previous.Resources {
		if !s.hasType(r.Source.Type) {
			rows = append(rows, r)
		}
	}
	return rows
}

// omissions adds the previous run's omissions that this run is not about.
func (s scope) omissions(rows []output.Omitted, previous *output.Manifest) []output.Omitted {
	if s.types == nil {
		return rows
	}
	for _, r := range previous.Omitted {
		if r.Source.Type != "" && !s.only.Allows(r.Source.Type, r.Source.Version) && !slices.Contains(rows, r) {
			rows = append(rows, r)
		}
	}
	return rows
}
