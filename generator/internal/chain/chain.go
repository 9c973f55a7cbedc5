package chain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Chain is all groups of a run, sorted by folder.
type Chain struct {
	Groups []*Group
}

// Group is an API group: the resources of one provider.
type Group struct {
	Provider  string // Microsoft.Batch
	Folder    string // batch
	Name      string // batch.azure.example.com
	Resources []*Resource
}

// Resource is a resource with its versions in order, earliest first.
type Resource struct {
	Model    *model.Resource
	Group    *Group
	Versions []*Version
	Hub      *Version
	Root     *Place // the spec

	places []*Place
	order  []int // indexes of versions: the main line first, then leaves
}

// Places are all places of the resource, in order of first reach.
func (r *Resource) Places() []*Place { return r.places }

// Rename is metadata: in Version, Type (or its Property) is called To in the
// next version of the main line.
type Rename struct {
	Folder, Version, Type, Property, To string
	Pos                                 model.Pos
}

// Options of linking. Keys are the bag keys that the ledger has given, by
// lower-case resource type.
type Options struct {
	Suffix  string
	Renames []Rename
	Keys    map[string][]KeyRow
}

// Problem is what linking finds wrong.
type Problem struct {
	Text, Hint string
	Pos        model.Pos
}

// Link makes the chain of refined resources.
func Link(resources []*model.Resource, opts Options) (*Chain, []Problem) {
	l := &linker{opts: opts, used: make([]bool, len(opts.Renames)), groups: map[string]*Group{}}
	for _, r := range resources {
		l.resource(r)
	}
	out := &Chain{}
	for _, g := range l.groups {
		out.Groups = append(out.Groups, g)
	}
	slices.SortFunc(out.Groups, func(a, b *Group) int { return strings.Compare(a.Folder, b.Folder) })
	l.unused(out)
	return out, l.problems
}

type linker struct {
	opts     Options
	used     []bool // renames that matched
	groups   map[string]*Group
	problems []Problem
}

func (l *linker) problem(pos model.Pos, hint, format string, args ...any) {
	l.problems = append(l.problems, Problem{Text: fmt.Sprintf(format, args...), Hint: hint, Pos: pos})
}

func (l *linker) group(provider string) *Group {
	folder := Folder(provider)
	g := l.groups[folder]
	if g == nil {
		g = &Group{Provider: provider, Folder: folder, Name: folder}
		if l.opts.Suffix != "" {
			g.Name = folder + "." + l.opts.Suffix
		}
		l.groups[folder] = g
	}
	return g
}

// Folder is the folder and the first part of the group of a provider:
// Microsoft.Batch is batch, Sendgrid.Email is sendgrid-email.
func Folder(provider string) string {
	s := strings.ToLower(provider)
	s = strings.TrimPrefix(s, "microsoft.")
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, s), "-")
}

func (l *linker) resource(m *model.Resource) {
	provider, _, _ := strings.Cut(m.Type, "/")
	r := &Resource{Model: m, Group: l.group(provider)}
	labels := map[string]string{}
	for _, v := range m.Versions {
		label, rank, ok := parse(v.Name)
		switch {
		case !ok:
			l.problem(v.Pos, "a version is a date such as 2020-01-31 or 2020-01-31-preview, or a label such as v1beta1", "%s: %q is not the name of a version", m.Type, v.Name)
		case labels[label] != "":
			l.problem(v.Pos, "exclude one of them", "%s: versions %q and %q have the same label %s", m.Type, labels[label], v.Name, label)
		default:
			labels[label] = v.Name
			r.Versions = append(r.Versions, &Version{Model: v, Label: label, rank: rank})
		}
	}
	if len(r.Versions) == 0 {
		return
	}
	r.Hub = line(r.Versions)
	for _, leaf := range []bool{false, true} {
		for i, v := range r.Versions {
			if v.Leaf == leaf {
				r.order = append(r.order, i)
			}
		}
	}
	r.Group.Resources = append(r.Group.Resources, r)
	l.places(r)
}

// unused reports metadata that matched nothing.
func (l *linker) unused(c *Chain) {
	for i, n := range l.opts.Renames {
		if n.Property == "" {
			l.used[i] = c.hasTypeRename(n)
		}
		if l.used[i] {
			continue
		}
		what := n.Type
		if n.Property != "" {
			what += "." + n.Property
		}
		l.problem(n.Pos, "check the folder of the group, the version, the Go type and the JSON name, and that the next version has the new name",
			"nameInNextVersion of %s in %s %s matches nothing", what, n.Folder, n.Version)
	}
}

// hasTypeRename tells whether a type rename names two types that exist, in a
// version and the next one on the main line.
func (c *Chain) hasTypeRename(n Rename) bool {
	for _, g := range c.Groups {
		if g.Folder != n.Folder {
			continue
		}
		for _, r := range g.Resources {
			for _, v := range r.Versions {
				next := r.nextMain(v)
				if v.Model.Name == n.Version && next != nil && v.Model.Def(n.Type) != nil && next.Model.Def(n.To) != nil {
					return true
				}
			}
		}
	}
	return false
}

// nextMain is the next version of the main line in version order, for leaves
// too; nil where there is none.
func (r *Resource) nextMain(v *Version) *Version {
	for _, w := range r.Versions[v.Index+1:] {
		if !w.Leaf {
			return w
		}
	}
	return nil
}
