package refine

import (
	"context"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Result is what refining gives: resources whose versions are refined, each
// name once, and what happened on the way. A version that has a problem is not
// among them.
type Result struct {
	Resources []*model.Resource
	Conflicts []Conflict
	Chosen    []Chosen // by Options.Choose
	Problems  []Problem
	Notes     []Problem
}

// Conflict is a property that became free JSON because the branches of a union
// cannot be merged. Path is its place in the resource's body. Choices are what it can
// be instead, if there is anything beside [FreeJSON].
type Conflict struct {
	Type, Version, Path, Reason string
	Pos                         model.Pos
	Choices                     []string
}

// Problem says what is wrong with one resource version.
type Problem struct {
	Type, Version string
	Text, Hint    string
	Pos           model.Pos

	// Path and Choices state about declarations that disagree on which property, and what it can be;
	// else they are empty.
	Path    string
	Choices []string
}

// Options of a run.
type Options struct {
	// Known are the resources of the ledger, whose kinds and plurals stand.
	Known []*model.Resource
	// Kind gives a resource type that no run before has named the kind that the run has chosen for
	// it, empty for none. It is told the kind that it has otherwise. A nil Kind chooses nothing.
	Kind func(resourceType, otherwise string) string
	// Lenient makes free JSON of what two declarations of one resource version
	// contradict each other in.
	Lenient bool
	// Rename gives other names to properties at the root of a resource's body, by
	// the vendor's name; letter case does not matter. The resource has its type
	// and kind, but no versions. A nil Rename renames nothing.
	Rename func(*model.Resource) map[string]string
	// Choose gives the type of a property of a resource version on which declarations disagree, in
	// the words of the notation, or [FreeJSON]; empty for no choice. A nil Choose chooses nothing.
	Choose func(resource, version, path string) string
}

// Refine refines raw resources, in their order. Kinds do not depend on it. What is
// returned once the context has ended is incomplete.
func Refine(ctx context.Context, raw []*model.Resource, opts Options) *Result {
	out := &Result{}
	known := map[string]*model.Resource{}
	for _, k := range opts.Known {
		known[strings.ToLower(k.Type)] = k
	}
	for i, r := range named(raw, opts.Known, opts.Kind) {
		var renames map[string]string
		if opts.Rename != nil {
			renames = opts.Rename(r)
		}
		for _, declared := range byVersion(raw[i]) {
			if ctx.Err() != nil {
				return out
			}
			u := newUnit(declared)
			u.ctx = ctx
			u.resource, u.known, u.renames, u.lenient, u.choose = r, known[strings.ToLower(r.Type)], folded(renames), opts.Lenient, opts.Choose
			if v := u.refine(out); v != nil {
				r.Versions = append(r.Versions, v)
			}
		}
		if len(r.Versions) > 0 {
			out.Resources = append(out.Resources, r)
		}
	}
	return out
}

// byVersion gathers the declarations of each version, in order of first sight.
func byVersion(r *model.Resource) [][]*model.Version {
	var out [][]*model.Version
	at := map[string]int{}
	for _, v := range r.Versions {
		i, ok := at[v.Name]
		if !ok {
			i = len(out)
			at[v.Name] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], v)
	}
	return out
}

func folded(renames map[string]string) map[string]string {
	out := map[string]string{}
	for name, to := range renames {
		out[strings.ToLower(name)] = to
	}
	return out
}

// unit is one version of one resource, as one or more declarations have it. Those
// of the first kind of source that declares a spec, or a status, are what it is
// made of; others tell what is secret.
type unit struct {
	resource *model.Resource
	known    *model.Resource   // in the ledger; nil for none
	declared []*model.Version  // of the spec
	statuses []*model.Version  // of the status
	others   []*model.Version  // of specs that do not count
	renames  map[string]string // by names in lower case
	lenient  bool
	choose   func(resource, version, path string) string // may be nil
	ctx      context.Context                             // what is refined once it has ended is not used
}

func newUnit(all []*model.Version) *unit {
	u := &unit{}
	first := func(of func(*model.Version) model.Type) (out, rest []*model.Version) {
		for _, v := range all {
			switch {
			case of(v) == nil:
			case out == nil || kindOfSource(v) == kindOfSource(out[0]):
				out = append(out, v)
			default:
				rest = append(rest, v)
			}
		}
		return out, rest
	}
	u.declared, u.others = first(func(v *model.Version) model.Type { return v.Spec })
	u.statuses, _ = first(func(v *model.Version) model.Type { return v.Status })
	return u
}

func kindOfSource(v *model.Version) string {
	if len(v.Sources) == 0 {
		return ""
	}
	return v.Sources[0].Kind
}

// refine gives the refined version, or nil if it has problems.
func (u *unit) refine(out *Result) *model.Version {
	united := u.body(u.declared...)
	if united.spec != nil {
		u.secrets(united)
		united.observe(u.statuses...)
	}
	out.Chosen = append(out.Chosen, united.decided...)
	problems := united.problems
	if united.spec != nil && !u.lenient {
		problems = append(problems, u.disagreements(united)...)
	}
	if len(problems) > 0 {
		out.Problems = append(out.Problems, problems...)
		return nil
	}
	out.Conflicts = append(out.Conflicts, united.conflicts...)
	out.Notes = append(out.Notes, united.notes...)
	first := u.declared[0]
	v := &model.Version{Name: first.Name, Pos: first.Pos, Spec: united.spec, AtRoot: first.AtRoot, Status: united.status, Facts: first.Facts}
	if v.Defs = model.Closure(v.Spec, v.Status); !u.resource.IsNative() {
		model.ShareStatus(v, nil)
	}
	for _, d := range slices.Concat(u.declared, u.statuses, u.others) {
		for _, s := range d.Sources {
			if !slices.Contains(v.Sources, s) {
				v.Sources = append(v.Sources, s)
			}
		}
	}
	return v
}

// disagreements makes a problem of every conflict of the united body that no
// single declaration has.
func (u *unit) disagreements(united *body) []Problem {
	if len(u.declared) == 1 && len(u.statuses) < 2 {
		return nil
	}
	known := map[string]bool{}
	for _, d := range u.declared {
		for _, c := range u.body(d).conflicts {
			known[c.Path] = true
		}
	}
	for _, d := range u.statuses {
		b := u.body(u.declared[0])
		b.observe(d)
		for _, c := range b.conflicts {
			known[c.Path] = true
		}
	}
	for _, s := range united.decided {
		known[s.Path] = true
	}
	var out []Problem
	for _, c := range united.conflicts {
		if c.Reason != tooMany && !known[c.Path] {
			out = append(out, Problem{
				Type: c.Type, Version: c.Version, Pos: c.Pos,
				Text: c.Path + ": the declarations disagree: " + c.Reason,
				Hint: "exclude one of the files, or use --lenient to keep the property as free JSON",
				Path: c.Path, Choices: united.choicesAt(c.Path),
			})
		}
	}
	return out
}
