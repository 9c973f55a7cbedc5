package strata

import (
	"context"
	"runtime"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/emit"
	"github.com/stratakube/strata/generator/internal/emit/gofile"
	"github.com/stratakube/strata/generator/internal/emit/report"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/plan"
)

// changes prints the plan into memory and compares it with the disk.
func (b *build) changes(ctx context.Context, previous *output.Manifest) (*output.Changes, error) {
	layout := gofile.Layout{Module: b.config.Output.Module, Runtime: b.config.Output.Runtime}
	var files []output.File
	for _, f := range emit.Files(b.plan, layout, runtime.GOMAXPROCS(0)) {
		files = append(files, output.File{Path: f.Path, Body: f.Body})
	}
	for _, f := range report.FreeJSON(b.plan, b.conflicts) {
		files = append(files, output.File{Path: f.Path, Body: f.Body})
	}
	for _, f := range b.next.Files() {
		files = append(files, output.File{Path: output.LedgerDir + "/" + f.Path, Body: f.Body})
	}
	run := output.Run{Dir: b.config.Output.Dir, Files: files, Resources: b.rows(layout), Omitted: b.omitted, Previous: previous}
	b.narrow(&run)
	return output.Compare(ctx, run)
}

// narrow limits a run with --only to the groups that it is about. What is above
// them, and their entries in the manifest and the ledger, are about all groups,
// and hold what they held for the others.
func (b *build) narrow(run *output.Run) {
	if b.Only.IsZero() {
		return
	}
	mine := map[string]bool{}
	for _, g := range b.chain.Groups {
		for _, r := range g.Resources {
			mine[g.Folder] = mine[g.Folder] || slices.ContainsFunc(r.Versions, func(v *chain.Version) bool {
				return b.Only.Allows(r.Model.Type, v.Model.Name)
			})
		}
	}
	run.Owns = func(path string) bool {
		group, rest, below := strings.Cut(path, "/")
		if group == "reports" || group == output.LedgerDir {
			group, _, below = strings.Cut(rest, "/")
		}
		return !below || mine[group]
	}
	run.Files = slices.DeleteFunc(run.Files, func(f output.File) bool { return !run.Owns(f.Path) })
}

// rows are the manifest's rows of all resource versions.
func (b *build) rows(l gofile.Layout) []output.Resource {
	var out []output.Resource
	for _, g := range b.plan.Groups {
		for _, k := range g.Kinds {
			served := b.next.Find(k.Resource.Model.Type).Served
			for _, kv := range k.Versions {
				out = append(out, row(l, kv, slices.Contains(served, kv.Version.Label)))
			}
		}
	}
	return out
}

func row(l gofile.Layout, kv *plan.KindVersion, served bool) output.Resource {
	r := kv.Kind.Resource
	out := output.Resource{
		Group:   r.Group.Name,
		Version: kv.Version.Label,
		Kind:    kv.Kind.Name,
		Plural:  r.Model.Plural,
		Hub:     kv.Version == r.Hub,
		Storage: kv.Version.Label + "storage",
		Served:  served,
		Package: l.API(kv.Package),
	}
	for _, s := range kv.Version.Model.Sources {
		out.Sources = append(out.Sources, output.Source{Kind: s.Kind, Type: r.Model.Type, Version: kv.Version.Model.Name, File: s.File})
	}
	if len(out.Sources) > 0 {
		out.Source = out.Sources[0]
	}
	if len(out.Sources) == 1 {
		out.Sources = nil
	}
	return out
}
