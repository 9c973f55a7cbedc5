package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/emit"
	"github.com/stratakube/strata/generator/internal/emit/crd"
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/emit/report"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/parallel"
	"github.com/stratakube/strata/generator/internal/plan"
)

// reportsDir is the folder of the reports, relative to the output folder.
const reportsDir = "reports"

// print prints the plan, and compares each file with that on disk as soon as it is printed. So a
// run of any size has few files in memory. The caller must close the result, also after an error.
func (pl Plan) print(ctx context.Context, bodies output.Bodies) (*Printed, error) {
	pr := newPrinted(pl, bodies)
	if err := pl.enter(ctx, "printing CRDs"); err != nil {
		return pr, err
	}
	o := pl.definitions()
	o.IsCompared = len(pl.CRDs) > 0
	o.Take = func(f crd.File) error { return pr.code(ctx, fileOf(f)) }
	crds, packages, err := pl.defined(ctx, o, pl.config.Install)
	if err != nil {
		return pr, err
	}
	pr.Sizes = pl.budget(crds)
	if err := pl.enter(ctx, "printing reports"); err != nil {
		return pr, err
	}
	if err := pr.reports(ctx, crds); err != nil {
		return pr, err
	}
	if ctx.Err() != nil {
		return pr, ctx.Err()
	}
	jobs := slices.Concat(pl.histories(), pl.planFiles(), pl.ledger())
	for _, print := range emit.Jobs(pl.plan, pl.layout()) {
		jobs = append(jobs, func() (emit.File, error) { return print(), nil })
	}
	for _, f := range append(packages, pl.valuesOf(crds)...) {
		jobs = append(jobs, func() (emit.File, error) { return f, nil })
	}
	return pr, pr.run(ctx, jobs)
}

// newPrinted begins the comparison of files with those on disk.
func newPrinted(pl Plan, bodies output.Bodies) *Printed {
	pr := &Printed{Plan: pl, left: map[string]bool{}}
	run := output.Run{
		Dir:       pl.config.Output.Dir,
		Resources: pl.scope.resources(pl.rows(), pl.previous()),
		Omitted:   pl.scope.omissions(pl.Omitted, pl.previous()),
		Previous:  pl.Manifest,
		Owns:      pr.owns,
		Bodies:    bodies,
	}
	if pl.part != nil {
		run.Rest = pl.part.rest
	}
	pr.comparison = output.Begin(run)
	return pr
}

// job prints one file. The file has no body if there is nothing to print.
type job func() (emit.File, error)

// run prints files, several at once.
func (pr *Printed) run(ctx context.Context, jobs []job) error {
	count := pr.Progress.Counter("printing code")
	count(0, len(jobs))
	var done atomic.Int64
	return parallel.Try(ctx, len(jobs), runtime.GOMAXPROCS(0), func(i int) error {
		f, err := jobs[i]()
		if err == nil && f.Body != nil {
			err = pr.code(ctx, f)
		}
		count(int(done.Add(1)), len(jobs))
		return err
	})
}

// code compares a file of resources, or an entry of the ledger. With --only, files of other
// resources stay as they are, unless they must change.
func (pr *Printed) code(ctx context.Context, f emit.File) error {
	if strings.HasPrefix(f.Path, output.LedgerDir+"/") {
		return pr.add(ctx, f.Path, f.Body)
	}
	sum, known := pr.comparison.Sum(f.Path)
	if !pr.scope.hasPath(f.Path) || !pr.scope.hasFile(f) && known && sum == sha256.Sum256(f.Body) {
		pr.mu.Lock()
		defer pr.mu.Unlock()
		pr.left[f.Path] = true
		return nil
	}
	return pr.add(ctx, f.Path, f.Body)
}

// report compares a report, unless the run is about others.
func (pr *Printed) report(ctx context.Context, path string, body []byte) error {
	if body == nil || !pr.scope.hasPath(path) {
		return nil
	}
	return pr.add(ctx, path, body)
}

// add compares a file. It ignores those that a part of a run does not write.
func (pr *Printed) add(ctx context.Context, path string, body []byte) error {
	if pr.part != nil && (isShared(path) || path == output.LedgerDir+"/"+ledger.IndexFile) {
		return nil
	}
	err := pr.comparison.Add(ctx, output.File{Path: path, Body: body})
	if unwritable := (*output.UnwritableError)(nil); errors.As(err, &unwritable) {
		return diag.Errorf(pr.config.At("output.dir"), "%v", err).
			WithHint("see to it that all of the output folder can be written; nothing in it has changed")
	}
	return err
}

// owns reports whether the run is responsible for a path.
func (pr *Printed) owns(path string) bool {
	return pr.scope.hasPath(path) && !pr.left[path] && (pr.part == nil || pr.part.hasPath(path))
}

// compare completes the comparison with the files on disk.
func (pr *Printed) compare(ctx context.Context) (*output.Changes, error) {
	if err := pr.enter(ctx, "comparing files"); err != nil {
		return nil, err
	}
	return pr.comparison.End(ctx)
}

// Close removes files that are not where they belong.
func (pr *Printed) Close() error { return pr.comparison.Close() }

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

// reports prints the reports.
func (pr *Printed) reports(ctx context.Context, crds []crd.File) error {
	address := explorerOf(pr.config.Output.Explorer, pr.chain.Groups)
	groups := pr.plan.Groups
	err := parallel.Try(ctx, len(groups), runtime.GOMAXPROCS(0), func(i int) error {
		f := report.Changes(ctx, groups[i], address)
		return pr.report(ctx, f.Path, f.Body)
	})
	if err != nil {
		return err
	}
	var given []crd.Given
	for _, d := range pr.CRDs {
		given = append(given, crd.Given(d))
	}
	compared, err := crd.Comparisons(ctx, crds, given)
	if err != nil {
		return err
	}
	files := slices.Concat(report.FreeJSON(pr.plan), report.Releases(pr.plan, pr.Releases), report.Older(pr.plan, pr.olderRequirements(ctx, everyType)))
	for _, r := range append(crd.Reports(crds, crd.Limit), compared...) {
		files = append(files, report.File(r))
	}
	for _, f := range files {
		if err := pr.report(ctx, f.Path, f.Body); err != nil {
			return err
		}
	}
	return nil
}

// ledger returns jobs that print the index and the entries that the run is about.
func (pl Plan) ledger() []job {
	var jobs []job
	for _, print := range pl.Next.Jobs(pl.scope.hasType) {
		jobs = append(jobs, func() (emit.File, error) {
			f := print()
			return emit.File{Path: output.LedgerDir + "/" + f.Path, Body: f.Body}, nil
		})
	}
	return jobs
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
