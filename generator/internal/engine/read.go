package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/arm"
	"github.com/stratakube/strata/generator/internal/source/bicep"
	"github.com/stratakube/strata/generator/internal/source/crd"
	"github.com/stratakube/strata/generator/internal/source/openapi"
)

// front is a front-end: it knows one kind of source. Files lists what a source
// includes, and reports globs that include nothing.
type front struct {
	knows func(config.Source) bool
	files func(*build, config.Source) []string
	read  func(*build, context.Context, config.Source, func(done, total int)) (*source.Result, error)
}

// fronts is the table of front-ends. Where several declare a resource version, the
// spec is that of the first.
var fronts = []front{
	{func(s config.Source) bool { return s.ARM != nil }, (*build).filesOfTree, reading(arm.Read)},
	{func(s config.Source) bool { return s.Bicep != nil }, (*build).filesOfTree, reading(bicep.Read)},
	{func(s config.Source) bool { return s.CRD != nil }, (*build).filesOfTree, (*build).readCRD},
	{func(s config.Source) bool { return s.OpenAPI != nil }, (*build).filesOfTree, reading(openapi.Read)},
	{func(s config.Source) bool { return s.Go != nil }, (*build).filesOfGo, (*build).readGo},
}

// reading is a front-end that chooses files of a tree by itself.
func reading(read func(context.Context, source.Options) (*source.Result, error)) func(*build, context.Context, config.Source, func(done, total int)) (*source.Result, error) {
	return func(b *build, ctx context.Context, s config.Source, progress func(done, total int)) (*source.Result, error) {
		t := s.Tree()
		files, err := b.listed.below(t.Root)
		if err != nil {
			return nil, err
		}
		return read(ctx, source.Options{Root: t.Root, Files: files, Include: t.Include, Exclude: t.Exclude, Progress: progress})
	}
}

func (b *build) readCRD(ctx context.Context, s config.Source, progress func(done, total int)) (*source.Result, error) {
	files, err := b.listed.below(s.CRD.Root)
	if err != nil {
		return nil, err
	}
	return crd.Read(ctx, crd.Options{Root: s.CRD.Root, Files: s.CRD.Files(files), Progress: progress})
}

func (b *build) filesOfTree(s config.Source) []string {
	t := s.Tree()
	all, err := b.listed.below(t.Root)
	if err != nil {
		b.Messages.Errorf(b.config.At(s.At("root")), "%v", err)
		return nil
	}
	idle := t.Idle(all)
	for _, i := range idle {
		b.Messages.Add(diag.Errorf(b.config.At(diag.Index(s.At("include"), i)), "no file below %s matches %q", t.Root, t.Include[i]).
			WithHint("globs are of paths below root: * stays within a folder, ** does not"))
	}
	files := t.Files(all)
	if len(files) == 0 && len(idle) == 0 {
		b.Messages.Add(diag.Errorf(b.config.At(s.At("exclude")), "every file that include takes in is excluded"))
	}
	return files
}

func frontOf(s config.Source) front { return fronts[rank(s)] }

// rank is the place of a source's front-end in the table.
func rank(s config.Source) int {
	return slices.IndexFunc(fronts, func(f front) bool { return f.knows(s) })
}

// inOrder are the sources in the order of their front-ends, and in that of the file.
func inOrder(sources []config.Source) []config.Source {
	return slices.SortedStableFunc(slices.Values(sources), func(a, b config.Source) int { return cmp.Compare(rank(a), rank(b)) })
}

// read reads all sources, and keeps what takes part in the run.
func (b *build) read(ctx context.Context) error {
	total := 0
	sources := inOrder(b.config.Sources)
	sizes := make([]int, len(sources))
	for i, s := range sources {
		sizes[i] = len(frontOf(s).files(b, s))
		total += sizes[i]
	}
	if err := b.Messages.Err(); err != nil {
		return err
	}
	seen, before := newSpellings(b.old.Models()), 0
	count := b.Progress.Counter("reading schemas")
	count(0, total)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, s := range sources {
		result, err := frontOf(s).read(b, ctx, s, func(done, _ int) { count(before+done, total) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return diag.Errorf(s.Pos, "%v", err)
		}
		before += sizes[i]
		b.take(result, seen)
	}
	b.unmatched()
	return nil
}

// take takes what a source has given.
func (b *build) take(result *source.Result, seen spellings) {
	b.Messages.Add(result.Notes...)
	b.renamed = append(b.renamed, result.Renames...)
	b.functions = append(b.functions, result.Functions...)
	b.exports = append(b.exports, result.Exports...)
	b.takeOwn(result.Own)
	b.given = append(b.given, result.Definitions...)
	for _, broken := range result.Broken {
		b.broken(broken)
	}
	for _, r := range result.Resources {
		b.add(r, seen)
	}
	b.Progress.Add(0, len(result.Resources))
}

// add unites what several files and sources declare of one resource, and leaves
// out the versions that take no part.
func (b *build) add(r *model.Resource, seen spellings) {
	var kept []*model.Version
	for _, v := range r.Versions {
		v.Name = seen.of(r.Type, v.Name)
		b.declared = append(b.declared, declared{r.Type, v.Name})
		if b.takesPart(r.Type, v.Name) {
			kept = append(kept, v)
		}
	}
	known := b.rawOf(r.Type)
	switch {
	case len(kept) == 0:
	case known != nil:
		known.Versions = append(known.Versions, kept...)
	default:
		first := r.Head()
		first.Versions = kept
		b.raw = append(b.raw, first)
		b.rawTypes[strings.ToLower(r.Type)] = first
	}
}

// rawOf is what was read of a resource type, whatever its spelling; nil for nothing.
func (b *build) rawOf(resource string) *model.Resource { return b.rawTypes[strings.ToLower(resource)] }

// takesPart tells whether the run is about a resource version, and may have it:
// the ledger does, or the configuration lets it in. An empty version is one that
// is not known.
func (b *build) takesPart(resource, version string) bool {
	if version == "" {
		return b.Only.AllowsType(resource) && (b.config.Only.AllowsType(resource) || b.old.Find(resource) != nil)
	}
	return b.Only.Allows(resource, version) && (b.config.Only.Allows(resource, version) || b.old.Version(resource, version) != nil)
}

// broken makes errors, or an omission, of what cannot be understood. What takes
// no part in the run may be broken.
func (b *build) broken(broken source.Broken) {
	if broken.Type != "" {
		b.declared = append(b.declared, declared{broken.Type, broken.Version})
		if !b.takesPart(broken.Type, broken.Version) {
			return
		}
	}
	if !b.Lenient {
		b.Messages.Add(broken.Messages...)
		return
	}
	var reasons []string
	for _, m := range broken.Messages {
		reasons = append(reasons, m.Text)
		m.Severity = diag.Warning
		b.Messages.Add(m)
	}
	b.omit(broken.Source, broken.Type, broken.Version, strings.Join(reasons, "; "))
}

// omit lists what was left out, but for what the ledger has: that is generated.
func (b *build) omit(s model.Source, resource, version, reason string) {
	if b.old.Version(resource, version) != nil {
		b.Messages.Notef(diag.Pos{}, "%s %s is generated as the ledger has it", resource, version)
		return
	}
	row := output.Omitted{
		Source: output.Source{Kind: s.Kind, Type: resource, Version: version, File: s.File},
		Reason: reason,
	}
	if !b.left[row] {
		b.left[row] = true
		b.omitted = append(b.omitted, row)
	}
}
