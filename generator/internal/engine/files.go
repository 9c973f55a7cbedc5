package engine

import (
	"context"
	"crypto/sha256"
	"runtime"
	"slices"

	"github.com/stratakube/strata/generator/internal/emit"
	"github.com/stratakube/strata/generator/internal/emit/crd"
	"github.com/stratakube/strata/generator/internal/emit/gofile"
	"github.com/stratakube/strata/generator/internal/emit/report"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/plan"
)

// reportsDir is the folder of the reports below the output folder.
const reportsDir = "reports"

// changes prints the plan into memory and compares it with the disk.
func (b *build) changes(ctx context.Context) (*output.Changes, error) {
	layout := gofile.Layout{Module: b.config.Output.Module, Runtime: b.config.Output.Runtime}
	previous := b.manifest
	if previous == nil {
		previous = new(output.Manifest)
	}
	if err := b.enter(ctx, "printing CRDs"); err != nil {
		return nil, err
	}
	crds, packages, err := b.defined(ctx)
	if err != nil {
		return nil, err
	}
	b.definition = b.budget(crds)
	if err := b.enter(ctx, "printing reports"); err != nil {
		return nil, err
	}
	reports, err := b.reports(ctx, crds)
	if err != nil {
		return nil, err
	}
	if err := b.enter(ctx, "printing code"); err != nil {
		return nil, err
	}
	code, left := b.code(slices.Concat(emit.Files(ctx, b.plan, layout, runtime.GOMAXPROCS(0)), filesOf(crds), packages), previous)
	if err := b.enter(ctx, "comparing files"); err != nil {
		return nil, err
	}
	return output.Compare(ctx, output.Run{
		Dir:       b.config.Output.Dir,
		Files:     slices.Concat(code, reports, b.ledger()),
		Resources: b.scope.resources(b.rows(layout), previous),
		Omitted:   b.scope.omissions(b.omitted, previous),
		Previous:  b.manifest,
		Owns:      func(path string) bool { return b.scope.hasPath(path) && !left[path] },
	})
}

// code takes the files of resources. A narrowed run leaves those of others as they
// lie there, unless they must change with its own: left has these.
func (b *build) code(made []emit.File, previous *output.Manifest) (files []output.File, left map[string]bool) {
	sums := map[string]output.Digest{}
	for _, row := range previous.Files {
		sums[row.Path] = row.SHA256
	}
	left = map[string]bool{}
	for _, f := range made {
		sum, known := sums[f.Path]
		if !b.scope.hasPath(f.Path) || !b.scope.hasFile(f) && known && sum == sha256.Sum256(f.Body) {
			left[f.Path] = true
			continue
		}
		files = append(files, output.File{Path: f.Path, Body: f.Body})
	}
	return files, left
}

func (b *build) reports(ctx context.Context, crds []crd.File) ([]output.File, error) {
	var files []output.File
	for _, f := range append(report.FreeJSON(b.plan, b.conflicts), report.Changes(ctx, b.plan)...) {
		if b.scope.hasPath(f.Path) {
			files = append(files, output.File{Path: f.Path, Body: f.Body})
		}
	}
	var given []crd.Given
	for _, d := range b.given {
		given = append(given, crd.Given(d))
	}
	compared, err := crd.Comparisons(ctx, crds, given)
	if err != nil {
		return nil, err
	}
	for _, f := range append(crd.Reports(crds, crd.Limit), compared...) {
		if b.scope.hasPath(f.Path) {
			files = append(files, output.File{Path: f.Path, Body: f.Body})
		}
	}
	return files, nil
}

// ledger prints the entries that the run is about, and the index.
func (b *build) ledger() []output.File {
	var files []output.File
	for _, f := range b.next.Files(b.scope.hasType) {
		files = append(files, output.File{Path: output.LedgerDir + "/" + f.Path, Body: f.Body})
	}
	return files
}

// rows are the manifest's rows of all resource versions.
func (b *build) rows(l gofile.Layout) []output.Resource {
	var out []output.Resource
	for _, g := range b.plan.Groups {
		for _, k := range g.Kinds {
			for _, kv := range k.Versions {
				if kv.Package.Pruned() {
					continue
				}
				out = append(out, row(l, kv))
			}
		}
	}
	return out
}

func row(l gofile.Layout, kv *plan.KindVersion) output.Resource {
	r := kv.Kind.Resource
	out := output.Resource{
		Group:   r.Group.Name,
		Version: kv.Version.Label,
		Kind:    kv.Kind.Name,
		Plural:  r.Model.Plural,
		Hub:     kv.Version == r.Hub,
		Storage: kv.Version.Label + "storage",
		Served:  kv.Serving.Served(),
		Package: l.API(kv.Package),
		Outside: kv.Version.Model.OutsideNames(),
		Secrets: kv.Version.Model.SecretPaths(),

		ReadOnly: kv.Version.Model.ReadOnlyPaths(),
		Defaults: kv.Version.Model.Defaults(),
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
