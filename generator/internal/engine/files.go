package engine

import (
	"context"
	"crypto/sha256"
	"runtime"
	"slices"

	"github.com/stratakube/strata/generator/internal/emit"
	"github.com/stratakube/strata/generator/internal/emit/crd"
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/emit/report"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/plan"
)

// reportsDir is the folder of the reports, relative to the output folder.
const reportsDir = "reports"

// render prints the plan into memory. It writes nothing to disk.
func render(ctx context.Context, pl Plan) (Files, error) {
	out := Files{Plan: pl}
	if err := pl.enter(ctx, "printing CRDs"); err != nil {
		return Files{}, err
	}
	crds, packages, err := pl.defined(ctx, pl.config.Install)
	if err != nil {
		return Files{}, err
	}
	out.Sizes = pl.budget(crds)
	if err := pl.enter(ctx, "printing reports"); err != nil {
		return Files{}, err
	}
	if out.Reports, err = pl.reports(ctx, crds); err != nil {
		return Files{}, err
	}
	if err := pl.enter(ctx, "printing code"); err != nil {
		return Files{}, err
	}
	code := emit.Files(ctx, pl.plan, pl.layout(), runtime.GOMAXPROCS(0))
	histories, err := pl.histories(ctx)
	if err != nil {
		return Files{}, err
	}
	plans, err := pl.planFiles(ctx)
	if err != nil {
		return Files{}, err
	}
	out.Code, out.left = pl.code(slices.Concat(code, filesOf(crds), pl.valuesOf(crds), histories, plans, packages))
	out.Ledger = pl.ledger()
	return out, ctx.Err()
}

// compare compares the files with those on disk.
func compare(ctx context.Context, f Files) (*output.Changes, error) {
	if err := f.enter(ctx, "comparing files"); err != nil {
		return nil, err
	}
	run := output.Run{
		Dir:       f.config.Output.Dir,
		Files:     slices.Concat(f.Code, f.Reports, f.Ledger),
		Resources: f.scope.resources(f.rows(), f.previous()),
		Omitted:   f.scope.omissions(f.Omitted, f.previous()),
		Previous:  f.Manifest,
		Owns:      func(path string) bool { return f.scope.hasPath(path) && !f.left[path] },
	}
	if f.part != nil {
		run.Rest = f.part.rest
		run.Owns = func(path string) bool { return f.scope.hasPath(path) && !f.left[path] && f.part.hasPath(path) }
		run.Files = slices.DeleteFunc(run.Files, func(file output.File) bool {
			return isShared(file.Path) || file.Path == output.LedgerDir+"/"+ledger.IndexFile
		})
	}
	return output.Compare(ctx, run)
}

// layout returns the import paths of generated packages.
func (run *Run) layout() gofile.Layout {
	return gofile.Layout{Module: run.config.Output.Module, Runtime: run.config.Output.Runtime}
}

// previous returns the manifest of the last run; an empty one if there is none.
func (src Sources) previous() *output.Manifest {
	if src.Manifest == nil {
		return new(output.Manifest)
	}
	return src.Manifest
}

// code returns the files of resources that the run writes. With --only, left contains the paths
// of other resources' files, which the run does not touch, unless they must change.
func (pl Plan) code(made []emit.File) (files []output.File, left map[string]bool) {
	sums := map[string]output.Digest{}
	for _, row := range pl.previous().Files {
		sums[row.Path] = row.SHA256
	}
	left = map[string]bool{}
	for _, f := range made {
		sum, known := sums[f.Path]
		if !pl.scope.hasPath(f.Path) || !pl.scope.hasFile(f) && known && sum == sha256.Sum256(f.Body) {
			left[f.Path] = true
			continue
		}
		files = append(files, output.File{Path: f.Path, Body: f.Body})
	}
	return files, left
}

func (pl Plan) reports(ctx context.Context, crds []crd.File) ([]output.File, error) {
	var files []output.File
	for _, f := range slices.Concat(report.FreeJSON(pl.plan), report.Changes(ctx, pl.plan, explorerOf(pl.config.Output.Explorer, pl.chain.Groups)), report.Releases(pl.plan, pl.Releases), report.Older(pl.plan, pl.olderRequirements(ctx, everyType))) {
		if pl.scope.hasPath(f.Path) {
			files = append(files, output.File{Path: f.Path, Body: f.Body})
		}
	}
	var given []crd.Given
	for _, d := range pl.CRDs {
		given = append(given, crd.Given(d))
	}
	compared, err := crd.Comparisons(ctx, crds, given)
	if err != nil {
		return nil, err
	}
	for _, f := range append(crd.Reports(crds, crd.Limit), compared...) {
		if pl.scope.hasPath(f.Path) {
			files = append(files, output.File{Path: f.Path, Body: f.Body})
		}
	}
	return files, nil
}

// ledger prints the index and the entries that the run is about.
func (pl Plan) ledger() []output.File {
	var files []output.File
	for _, f := range pl.Next.Files(pl.scope.hasType) {
		files = append(files, output.File{Path: output.LedgerDir + "/" + f.Path, Body: f.Body})
	}
	return files
}

// rows returns the manifest's rows of all resource versions.
func (pl Plan) rows() []output.Resource {
	l := pl.layout()
	var out []output.Resource
	for _, g := range pl.plan.Groups {
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
		Group:         r.Group.Name,
		Version:       kv.Version.Label,
		Kind:          kv.Kind.Name,
		Plural:        r.Model.Plural,
		Hub:           kv.Version == r.Hub,
		Storage:       kv.Package.StorageVersion(),
		Served:        kv.Serving.Served(),
		Package:       l.API(kv.Package),
		ExternalNames: kv.Version.Model.ExternalNames(),
		Secrets:       kv.Version.Model.SecretPaths(),

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
