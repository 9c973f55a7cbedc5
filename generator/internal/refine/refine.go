package refine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Result is what refining gives: resources whose versions are refined, each
// name once, and what happened on the way.
type Result struct {
	Resources []*model.Resource
	Conflicts []Conflict
	Problems  []Problem
	Notes     []Problem
}

// Conflict is a property that became free JSON because the branches of a union
// cannot be merged. Path is its place in the resource's body.
type Conflict struct {
	Type, Version, Path, Reason string
	Pos                         model.Pos
}

// Problem says what is wrong with one resource version.
type Problem struct {
	Type, Version string
	Text, Hint    string
	Pos           model.Pos
}

// Options of a run. Known are the resources of the ledger, whose kinds and
// plurals stand. Lenient makes free JSON of what two declarations of one
// resource version contradict each other in.
type Options struct {
	Known   []*model.Resource
	Lenient bool
}

// Refine refines raw resources, in their order.
func Refine(raw []*model.Resource, opts Options) *Result {
	out := &Result{}
	kinds := map[string]*model.Resource{}
	for _, k := range opts.Known {
		kinds[strings.ToLower(k.Type)] = k
	}
	for _, r := range raw {
		refined := &model.Resource{Type: r.Type}
		if k := kinds[strings.ToLower(r.Type)]; k != nil {
			refined.Type, refined.Kind, refined.Plural = k.Type, k.Kind, k.Plural
		}
		out.Resources = append(out.Resources, refined)
	}
	nameKinds(append(slices.Clone(opts.Known), out.Resources...))
	for i, r := range raw {
		out.versions(out.Resources[i], r, opts)
	}
	out.Resources = slices.DeleteFunc(out.Resources, func(r *model.Resource) bool { return len(r.Versions) == 0 })
	return out
}

// versions refines all versions of a resource; declarations of one version are
// united.
func (out *Result) versions(refined, raw *model.Resource, opts Options) {
	var names []string
	same := map[string][]*model.Version{}
	for _, v := range raw.Versions {
		if same[v.Name] == nil {
			names = append(names, v.Name)
		}
		same[v.Name] = append(same[v.Name], v)
	}
	for _, name := range names {
		b := &builder{resource: refined, out: out, raw: same[name], version: &model.Version{Name: name, Pos: same[name][0].Pos}}
		if b.build(opts.Lenient) {
			refined.Versions = append(refined.Versions, b.version)
			out.Conflicts = append(out.Conflicts, b.conflicts...)
			out.Notes = append(out.Notes, b.notes...)
		}
	}
}

// builder refines one version of one resource.
type builder struct {
	resource  *model.Resource
	out       *Result
	raw       []*model.Version
	version   *model.Version
	objects   map[string]*model.Def // by key of the raw type
	names     map[string]bool
	ids       map[any]int
	conflicts []Conflict
	notes     []Problem
	depth     int
}

// build reports whether the version could be refined; if not, it has added
// problems.
func (b *builder) build(lenient bool) bool {
	var bodies []model.Type
	for _, v := range b.raw {
		b.version.Sources = append(b.version.Sources, v.Sources...)
		bodies = append(bodies, v.Spec)
	}
	if !b.spec(bodies...) {
		return false
	}
	if len(bodies) == 1 || lenient {
		return true
	}
	return b.agree(bodies)
}

// spec refines the united bodies to the version's spec.
func (b *builder) spec(bodies ...model.Type) bool {
	b.reset()
	var body model.Type
	for _, t := range bodies {
		body = join(body, t, false)
	}
	root := shapeOf(body, 0)
	if !isObject(root.form) {
		b.problem(b.version.Pos, fmt.Sprintf("the body of %s is %s, not an object", b.resource.Type, root.name()), "a resource needs an object with properties")
		return false
	}
	if len(bodies) > 1 {
		root.union = nil
	}
	name := b.unique(b.resource.Kind + "Spec")
	def := b.define(name)
	def.Type = b.object(root, b.resource.Kind, "")
	def.Pos = b.version.Pos
	b.version.Spec = &model.Ref{Def: def}
	b.order()
	return true
}

func (b *builder) reset() {
	b.version.Defs = nil
	b.conflicts, b.notes = nil, nil
	b.objects, b.ids = map[string]*model.Def{}, map[any]int{}
	kind := b.resource.Kind
	b.names = map[string]bool{kind: true, kind + "List": true, kind + "Status": true}
}

// agree makes an error of every conflict that no single declaration has.
func (b *builder) agree(bodies []model.Type) bool {
	united := b.version.Defs
	spec, conflicts, notes := b.version.Spec, b.conflicts, b.notes
	known := map[string]bool{}
	for _, body := range bodies {
		if !b.spec(body) {
			return false
		}
		for _, c := range b.conflicts {
			known[c.Path] = true
		}
	}
	b.version.Defs, b.version.Spec, b.conflicts, b.notes = united, spec, conflicts, notes
	ok := true
	for _, c := range conflicts {
		if !known[c.Path] {
			b.problem(c.Pos, fmt.Sprintf("%s: declarations of %s %s disagree: %s", c.Path, c.Type, c.Version, c.Reason), "exclude one of the files, or use --lenient to keep the property as free JSON")
			ok = false
		}
	}
	return ok
}

func (b *builder) problem(pos model.Pos, text, hint string) {
	b.out.Problems = append(b.out.Problems, Problem{Type: b.resource.Type, Version: b.version.Name, Text: text, Hint: hint, Pos: pos})
}

// order puts the definitions in the order of their first reach from the spec.
func (b *builder) order() {
	b.version.Defs = model.Closure(b.version.Spec)
}
