package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/inflect"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/arm"
	"github.com/stratakube/strata/generator/internal/source/bicep"
	"github.com/stratakube/strata/generator/internal/source/crd"
	"github.com/stratakube/strata/generator/internal/source/openapi"
)

// front is a front end for one kind of source. files lists the files that a source includes, and
// reports globs that match nothing.
type front struct {
	knows func(config.Source) bool
	files func(*Run, config.Source) []string
	read  func(Sources, context.Context, config.Source, func(done, total int)) (*source.Result, error)
}

// fronts lists the front ends. If several declare a resource version, the spec is that of the
// first.
var fronts = []front{
	{func(s config.Source) bool { return s.ARM != nil }, (*Run).filesOfTrees, reading(arm.Read)},
	{func(s config.Source) bool { return s.Bicep != nil }, (*Run).filesOfTrees, reading(bicep.Read)},
	{func(s config.Source) bool { return s.Kind() == "crd" }, (*Run).filesOfTrees, Sources.readCRDs},
	{func(s config.Source) bool { return s.OpenAPI != nil }, (*Run).filesOfTrees, reading(openapi.Read)},
	{func(s config.Source) bool { return s.Go != nil }, (*Run).filesOfGo, Sources.readGo},
}

// reading wraps a front end that selects the files of a tree itself.
func reading(read func(context.Context, source.Options) (*source.Result, error)) func(Sources, context.Context, config.Source, func(done, total int)) (*source.Result, error) {
	return func(src Sources, ctx context.Context, s config.Source, progress func(done, total int)) (*source.Result, error) {
		t := s.Trees()[0]
		files, err := src.listings.below(t.Root)
		if err != nil {
			return nil, err
		}
		o := source.Options{Root: t.Root, Files: files, Include: t.Include, Exclude: t.Exclude, Progress: progress}
		if src.part != nil {
			o.Skip = func(path string) bool { return src.part.skipped[t.Root][path] }
		}
		return read(ctx, o)
	}
}

func (run *Run) readCRDs(ctx context.Context, s config.Source, progress func(done, total int)) (*source.Result, error) {
	var releases []crd.Release
	for _, t := range s.Trees() {
		files, err := run.listings.below(t.Root)
		if err != nil {
			return nil, err
		}
		releases = append(releases, crd.Release{Name: t.Name, Root: t.Root, Files: t.Files(files)})
	}
	return crd.Read(ctx, crd.Options{Releases: releases, Texts: run.writesReports, Progress: progress})
}

// filesOfTrees returns the files that a source includes. A glob of include may match nothing in
// some of several releases.
func (run *Run) filesOfTrees(s config.Source) []string {
	var files, all, roots []string
	var empty []*config.Tree
	trees := s.Trees()
	for _, t := range trees {
		below, err := run.listings.below(t.Root)
		if err != nil {
			run.Messages.Errorf(run.config.At(s.RootAt(t)), "%v", err)
			return nil
		}
		included := t.Files(below)
		if len(included) == 0 {
			empty = append(empty, t)
		}
		files, all, roots = append(files, included...), append(all, below...), append(roots, t.Root)
	}
	include := trees[0].Include
	idle := trees[0].Idle(all)
	for _, i := range idle {
		run.Messages.Add(diag.Errorf(run.config.At(diag.Index(s.At("include"), i)), "no file below %s matches %q", strings.Join(roots, " and "), include[i]).
			WithHint("globs are of paths below root: * stays within a folder, ** does not"))
	}
	if len(idle) == 0 {
		run.reportEmpty(s, empty)
	}
	return files
}

// reportEmpty reports trees in which the source includes no file.
func (run *Run) reportEmpty(s config.Source, trees []*config.Tree) {
	for _, t := range trees {
		if len(s.Trees()) > 1 {
			run.Messages.Errorf(run.config.At(s.RootAt(t)), "no file below %s is included", t.Root)
			continue
		}
		run.Messages.Add(diag.Errorf(run.config.At(s.At("exclude")), "every file that include takes in is excluded"))
	}
}

func frontOf(s config.Source) front { return fronts[rank(s)] }

// rank returns the index of a source's front end in fronts.
func rank(s config.Source) int {
	return slices.IndexFunc(fronts, func(f front) bool { return f.knows(s) })
}

// inOrder returns the sources in the order of their front ends, and then in that of the
// configuration.
func inOrder(sources []config.Source) []config.Source {
	return slices.SortedStableFunc(slices.Values(sources), func(a, b config.Source) int { return cmp.Compare(rank(a), rank(b)) })
}

// reader collects models while sources are read.
type reader struct {
	Models
	declared []declared
	seen     spellings
	left     omissions
}

// declared is a resource version that a source declares, even if its schema has errors.
type declared struct{ resource, version string }

// read reads all sources. It needs names that are the same in each folder.
func read(ctx context.Context, src Sources) (Models, error) {
	if err := inflect.Check(); err != nil {
		return Models{}, err
	}
	rd := &reader{Models: Models{Sources: src, byType: map[string]*model.Resource{}}, seen: newSpellings(src.Ledger.Models()), left: newOmissions(src, nil)}
	if err := rd.sources(ctx); err != nil {
		return Models{}, err
	}
	rd.unmatched()
	rd.Omitted = rd.left.rows
	return rd.Models, src.leave(ctx, nil)
}

// sources reads the files of all sources.
func (rd *reader) sources(ctx context.Context) error {
	total := 0
	sources := inOrder(rd.config.Sources)
	sizes := make([]int, len(sources))
	for i, s := range sources {
		sizes[i] = len(frontOf(s).files(rd.Run, s))
		total += sizes[i]
	}
	if err := rd.Messages.Err(); err != nil {
		return err
	}
	before := 0
	count := rd.Progress.Counter("reading schemas")
	count(0, total)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, s := range sources {
		result, err := frontOf(s).read(rd.Sources, ctx, s, func(done, _ int) { count(before+done, total) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			m := source.MessageOf(err)
			return diag.Errorf(s.Pos, "%v", err).WithHint("%s", m.Hint)
		}
		before += sizes[i]
		rd.take(result)
	}
	return nil
}

// take adds the result of reading a source.
func (rd *reader) take(result *source.Result) {
	rd.units = append(rd.units, result.Units)
	rd.Messages.Add(result.Notes...)
	rd.Renames = append(rd.Renames, result.Renames...)
	rd.Changes = append(rd.Changes, result.Changes...)
	rd.Functions = append(rd.Functions, result.Functions...)
	rd.Exports = append(rd.Exports, result.Exports...)
	rd.takeUserTypes(result.Own)
	rd.CRDs = append(rd.CRDs, result.Definitions...)
	if len(result.Releases) > 0 {
		rd.Releases = append(rd.Releases, result.Releases)
	}
	for _, broken := range result.Broken {
		if !rd.isStored(broken.Type, broken.Version) {
			rd.broken(broken)
		}
	}
	for _, r := range result.Resources {
		rd.markStored(r)
		rd.add(r)
	}
	rd.Progress.Add(0, len(result.Resources))
}

// add merges the declarations of a resource by several files and sources, and omits versions that
// take no part in the run.
func (rd *reader) add(r *model.Resource) {
	var kept []*model.Version
	for _, v := range r.Versions {
		v.Name = rd.seen.of(r.Type, v.Name)
		rd.declared = append(rd.declared, declared{r.Type, v.Name})
		if rd.takesPart(r.Type, v.Name) {
			kept = append(kept, v)
		}
	}
	known := rd.rawOf(r.Type)
	switch {
	case len(kept) == 0:
	case known != nil:
		known.Versions = append(known.Versions, kept...)
	default:
		first := r.Head()
		first.Versions = kept
		rd.Resources = append(rd.Resources, first)
		rd.byType[strings.ToLower(r.Type)] = first
	}
}

// rawOf returns the raw model of a resource type in any spelling; nil if there is none.
func (ms Models) rawOf(resource string) *model.Resource { return ms.byType[strings.ToLower(resource)] }

// takesPart reports whether a resource version takes part in the run: --only allows it, and the
// configuration allows it or the ledger has it. An empty version means that the version is not
// known.
func (src Sources) takesPart(resource, version string) bool {
	if version == "" {
		return src.Only.AllowsType(resource) && (src.config.Only.AllowsType(resource) || src.Ledger.Find(resource) != nil)
	}
	return src.Only.Allows(resource, version) && (src.config.Only.Allows(resource, version) || src.Ledger.Version(resource, version) != nil)
}

// broken reports the errors of a declaration or, in a lenient run, omits it. Declarations that
// take no part in the run are ignored.
func (rd *reader) broken(broken source.Broken) {
	if broken.Type != "" {
		rd.declared = append(rd.declared, declared{broken.Type, broken.Version})
		if !rd.takesPart(broken.Type, broken.Version) {
			return
		}
	}
	if !rd.Lenient {
		rd.Messages.Add(broken.Messages...)
		return
	}
	var reasons []string
	for _, m := range broken.Messages {
		reasons = append(reasons, m.Text)
		m.Severity = diag.Warning
		rd.Messages.Add(m)
	}
	rd.left.add(broken.Source, broken.Type, broken.Version, strings.Join(reasons, "; "))
}

// omissions collects the resource versions that a lenient run leaves out.
type omissions struct {
	Sources
	rows []output.Omitted
	has  map[output.Omitted]bool
}

// newOmissions adds to the rows of an earlier stage.
func newOmissions(src Sources, rows []output.Omitted) omissions {
	o := omissions{Sources: src, rows: slices.Clone(rows), has: map[output.Omitted]bool{}}
	for _, row := range rows {
		o.has[row] = true
	}
	return o
}

// add lists a resource version, unless the ledger has it. In that case the run generates the
// ledger's version.
func (o *omissions) add(s model.Source, resource, version, reason string) {
	if o.Ledger.Version(resource, version) != nil {
		o.Messages.Notef(diag.Pos{}, "%s %s is generated as the ledger has it", resource, version)
		return
	}
	row := output.Omitted{
		Source: output.Source{Kind: s.Kind, Type: resource, Version: version, File: s.File},
		Reason: reason,
	}
	if !o.has[row] {
		o.has[row] = true
		o.rows = append(o.rows, row)
	}
}
