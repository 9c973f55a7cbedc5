package chain

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/parallel"
	"github.com/stratakube/strata/generator/internal/version"
)

// Rename is metadata that Type, or its Property, in Version is called To in the next version of
// the main line. Type is the name of a definition.
type Rename struct {
	Folder, Version, Type, Property, To string
	// In is the version that has the new name; empty for the next version of the main line.
	In  string
	Pos model.Pos
	// Stated means that the source of the versions states the rename. It comes before equal names,
	// and without a match it is not a problem: sources state renames also for versions that take no
	// part in the run. A rename that contradicts the ledger still is a problem.
	Stated bool

	resource string // the resource type that it applies to; empty for all of the group
}

// Options configure Link. Records are the ledger's records by resource type in lower case.
type Options struct {
	Suffix  string
	Folders Folders
	Renames []Rename
	Records map[string]*Record

	Conversions []Conversion
	Changes     []Change
	Breaks      []Break

	// Hub returns the name or label of the version that the user has chosen as a resource's hub;
	// empty for the last of the main line. A nil Hub chooses none. A version that is not on the
	// main line is ignored.
	Hub func(*model.Resource) string

	// Prune returns which versions have no API types, and which of them the chain skips. A nil
	// Prune prunes none.
	Prune func(resourceType, version string) Pruning
}

// Pruning states which parts of a version are generated.
type Pruning uint8

// The values of Pruning.
const (
	Whole   Pruning = iota
	Stored          // only its storage types and steps are generated
	Dropped         // the chain skips it
)

// Problem is an error in the input of linking.
type Problem struct {
	Text, Hint string
	Pos        model.Pos
}

// Link makes the chain of refined resources. The result does not depend on their order. Link links
// several groups at once, and calls Hub and Prune concurrently. The result is incomplete if ctx
// ends before Link returns; the caller must check ctx.
func Link(ctx context.Context, resources []*model.Resource, opts Options) (*Chain, []Problem) {
	l := newLinker(ctx, opts)
	resources = slices.SortedStableFunc(slices.Values(resources), model.ByType)
	problems := make([][]Problem, len(resources)) // by resource
	parts := l.parts(resources)
	parallel.For(ctx, len(parts), runtime.GOMAXPROCS(0), func(i int) { parts[i].run(resources, problems) })
	if l.stopped() {
		return &l.chain, nil
	}
	for _, p := range parts {
		l.take(p)
	}
	l.problems = slices.Concat(problems...)
	slices.SortFunc(l.chain.Groups, func(a, b *Group) int { return strings.Compare(a.Folder, b.Folder) })
	l.unused()
	return &l.chain, l.problems
}

type linker struct {
	ctx      context.Context
	opts     Options
	used     []bool            // renames that matched
	refused  map[Rename]bool   // renames that contradict the ledger
	index    map[renamed][]int // indexes of properties' renames; valid for indexed renames
	indexed  int
	far      map[[2]string][]int // indexes of renames that name a version, by folder and version
	farOf    int                 // the length of opts.Renames when far was built
	chain    Chain
	groups   map[string]*Group // by folder
	problems []Problem
}

func newLinker(ctx context.Context, opts Options) *linker {
	return &linker{ctx: ctx, opts: opts, used: make([]bool, len(opts.Renames)), refused: map[Rename]bool{}, groups: map[string]*Group{}}
}

// part is the linker of the resources of one folder. Renames of other folders do not concern it.
type part struct {
	*linker
	of   []int // the indexes of its resources
	from []int // the indexes in the options of its renames
}

// parts divides the work by folders, in the order of the first resource of each.
func (l *linker) parts(resources []*model.Resource) []*part {
	var out []*part
	by := map[string]*part{}
	opts := l.opts
	opts.Renames = nil
	for i, r := range resources {
		folder := l.opts.Folders.OfType(r.Type)
		if by[folder] == nil {
			by[folder] = &part{linker: newLinker(l.ctx, opts)}
			out = append(out, by[folder])
		}
		by[folder].of = append(by[folder].of, i)
	}
	for i, n := range l.opts.Renames {
		if p := by[n.Folder]; p != nil {
			p.opts.Renames, p.used, p.from = append(p.opts.Renames, n), append(p.used, false), append(p.from, i)
		}
	}
	return out
}

// run links the resources of the part, and sets their problems.
func (p *part) run(resources []*model.Resource, problems [][]Problem) {
	for _, i := range p.of {
		if p.stopped() {
			return
		}
		before := len(p.problems)
		p.resource(resources[i])
		problems[i] = p.problems[before:]
	}
}

// take adds the result of a part.
func (l *linker) take(p *part) {
	l.chain.Groups = append(l.chain.Groups, p.chain.Groups...)
	maps.Copy(l.groups, p.groups)
	moved := len(p.used) - len(p.from) // see moveBack
	for i, at := range p.from {
		l.used[at] = p.used[moved+i]
	}
}

// stopped reports whether the context has ended. Nothing uses the chain then.
func (l *linker) stopped() bool { return l.ctx.Err() != nil }

func (l *linker) problem(pos model.Pos, hint, format string, args ...any) {
	l.problems = append(l.problems, Problem{Text: fmt.Sprintf(format, args...), Hint: hint, Pos: pos})
}

// resource links one resource. A resource without a version that can be linked is left out.
func (l *linker) resource(m *model.Resource) {
	r := &Resource{Model: m, Versions: l.versions(m), conversions: l.opts.Conversions, changes: l.opts.Changes}
	if len(r.Versions) == 0 {
		return
	}
	provider, _, _ := strings.Cut(m.Type, "/")
	if r.Group = l.group(provider, m.Group, r.Versions[0].Model.Pos); r.Group == nil {
		return
	}
	r.Group.Resources = append(r.Group.Resources, r)
	chosen := ""
	if l.opts.Hub != nil {
		chosen = l.opts.Hub(m)
	}
	r.Hub = line(r.Versions, chosen)
	l.stepOver(r)
	for _, leaf := range []bool{false, true} {
		for i, v := range r.Versions {
			if v.Leaf == leaf {
				r.order = append(r.order, i)
			}
		}
	}
	l.places(r)
}

// versions returns the versions of a resource that are refined and have distinct labels. It
// reports the others.
func (l *linker) versions(m *model.Resource) []*Version {
	var out []*Version
	labels := map[string]string{}
	for _, v := range m.Versions {
		name, ok := version.Parse(v.Name)
		label, fault := name.Label(), unrefined(v)
		switch {
		case !ok:
			l.problem(v.Pos, "a version is a date such as 2020-01-31 or 2020-01-31-preview, or a label such as v1beta1", "%s: %q is not the name of a version", m.Type, v.Name)
		case labels[label] != "":
			l.problem(v.Pos, "exclude one of them", "%s: versions %q and %q have the same label %s", m.Type, labels[label], v.Name, label)
		case fault != "":
			l.problem(v.Pos, "restore the ledger from version control", "%s %s: the model is damaged: %s", m.Type, v.Name, fault)
		default:
			labels[label] = v.Name
			if pruning := l.opts.pruning(m.Type, v.Name); pruning != Dropped {
				out = append(out, &Version{Model: v, Label: label, Pruned: pruning == Stored, name: name})
			}
		}
	}
	return out
}

func (o *Options) pruning(resourceType, version string) Pruning {
	if o.Prune == nil {
		return Whole
	}
	return o.Prune(resourceType, version)
}

// unused reports metadata that matched nothing.
func (l *linker) unused() {
	for i, n := range l.opts.Renames {
		if n.Property == "" {
			l.used[i] = l.hasTypes(n)
		}
		if l.used[i] || n.Stated {
			continue
		}
		what := n.Type
		if n.Property != "" {
			what += "." + n.Property
		}
		l.problem(n.Pos, "check the folder of the group, the version, the Go type and the JSON name, and that "+cmp.Or(n.In, "the next version")+" has the new name",
			"%s of %s in %s %s matches nothing", n.key(), what, n.Folder, n.Version)
	}
}

// hasTypes reports whether a type's rename names two existing types: one in its version, and one
// in the next version of the main line.
func (l *linker) hasTypes(n Rename) bool {
	g := l.groups[n.Folder]
	return g != nil && slices.ContainsFunc(g.Resources, func(r *Resource) bool {
		v := r.version(n.Version)
		if v == nil {
			return false
		}
		next := r.NextMain(v)
		return next != nil && v.Model.Def(n.Type) != nil && next.Model.Def(n.To) != nil
	})
}
