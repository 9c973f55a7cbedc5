package chain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/version"
)

// Rename is metadata: in Version, Type (or its Property) is called To in the
// next version of the main line. Type is the name of a definition.
type Rename struct {
	Folder, Version, Type, Property, To string
	// In is the version that has the new name; empty for the next one on the main line.
	In  string
	Pos model.Pos
	// Optional means that it is no problem if the rename matches nothing. It is one if the rename
	// contradicts the ledger.
	Optional bool

	resource string // the type that it is of, empty for all of the group
}

// Options of linking. Records are what the ledger has of bag keys, by lower-case
// resource type.
type Options struct {
	Suffix  string
	Folders Folders
	Renames []Rename
	Records map[string]*Record

	Conversions []Conversion
	Changes     []Change
	Breaks      []Break

	// Hub reports which version of a resource is chosen as the hub, by its name or label; empty for
	// the last of the main line. Nil chooses none. One that is not on the main line is as none.
	Hub func(*model.Resource) string

	// Prune reports which versions have no API types, and which of them the chain
	// steps over. Nil is none.
	Prune func(resourceType, version string) Pruning
}

// Pruning is what becomes of a version.
type Pruning uint8

// The prunings.
const (
	Whole   Pruning = iota
	Stored          // its storage types and step stay
	Dropped         // the chain steps over it
)

// Problem is what linking finds wrong.
type Problem struct {
	Text, Hint string
	Pos        model.Pos
}

// Link makes the chain of refined resources. What it makes does not depend on
// their order. A chain that is returned once the context has ended is incomplete.
func Link(ctx context.Context, resources []*model.Resource, opts Options) (*Chain, []Problem) {
	l := &linker{ctx: ctx, opts: opts, used: make([]bool, len(opts.Renames)), refused: map[Rename]bool{}, groups: map[string]*Group{}}
	resources = slices.SortedStableFunc(slices.Values(resources), model.ByType)
	for _, r := range resources {
		if l.stopped() {
			return &l.chain, nil
		}
		l.resource(r)
	}
	slices.SortFunc(l.chain.Groups, func(a, b *Group) int { return strings.Compare(a.Folder, b.Folder) })
	l.unused()
	return &l.chain, l.problems
}

type linker struct {
	ctx      context.Context
	opts     Options
	used     []bool            // renames that matched
	refused  map[Rename]bool   // renames that contradict the ledger
	index    map[renamed][]int // the places of renames of properties; as long as indexed says how many there are
	indexed  int
	far      map[[2]string][]int // the places of renames that name a version, by folder and either version
	farOf    int                 // how many there are in far
	chain    Chain
	groups   map[string]*Group // by folder
	problems []Problem
}

// stopped reports whether the context has ended: then nobody uses the chain.
func (l *linker) stopped() bool { return l.ctx.Err() != nil }

func (l *linker) problem(pos model.Pos, hint, format string, args ...any) {
	l.problems = append(l.problems, Problem{Text: fmt.Sprintf(format, args...), Hint: hint, Pos: pos})
}

// resource links one resource. One without a version that can be linked is left
// out.
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

// versions are the versions of a resource that have a label of their own and are
// refined.
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
		if l.used[i] || n.Optional {
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

// hasTypes reports whether a type's rename names two types that exist, in a version
// and the next one on the main line.
func (l *linker) hasTypes(n Rename) bool {
	g := l.groups[n.Folder]
	return g != nil && slices.ContainsFunc(g.Resources, func(r *Resource) bool {
		v := r.version(n.Version)
		if v == nil {
			return false
		}
		next := r.nextMain(v)
		return next != nil && v.Model.Def(n.Type) != nil && next.Model.Def(n.To) != nil
	})
}
