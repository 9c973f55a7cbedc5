package refine

import (
	"context"
	"runtime"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/parallel"
)

// Result is the result of refining: the resources with their refined versions, each version once,
// and the conflicts, choices, problems and notes. Versions with a problem are left out.
type Result struct {
	Resources []*model.Resource
	Conflicts []Conflict
	Chosen    []Chosen // by Options.Choose
	Problems  []Problem
	Notes     []Problem
}

// Conflict is a property that became free JSON because the branches of a union cannot be merged.
// Path is its path in the resource's body. Choices are the types that the user can choose for it,
// with [FreeJSON]; empty if there is no other.
type Conflict struct {
	Type, Version, Path, Reason string
	Pos                         model.Pos
	Choices                     []string
}

// Problem is an error in one resource version.
type Problem struct {
	Type, Version string
	Text, Hint    string
	Pos           model.Pos

	// Path and Choices are set if declarations disagree: the property, and the types that the
	// user can choose for it.
	Path    string
	Choices []string
}

// Options configure Refine.
type Options struct {
	// Known are the resources of the ledger, whose kinds and plurals do not change.
	Known []*model.Resource
	// Kind returns the kind that the user has chosen for a resource type that the ledger does not
	// have; empty for none. otherwise is the default kind. A nil Kind chooses nothing.
	Kind func(resourceType, otherwise string) string
	// Lenient makes a property free JSON if two declarations of one resource version contradict
	// each other.
	Lenient bool
	// Rename returns new names for properties at the root of a resource's body, by the vendor's
	// name; letter case is ignored. The resource has its type and kind, but no versions. A nil
	// Rename renames nothing.
	Rename func(*model.Resource) map[string]string
	// Choose returns the type that the user has chosen for a property of a resource version on
	// which declarations disagree. It is in the words of the notation, or [FreeJSON]; empty for
	// no choice. A nil Choose chooses nothing.
	Choose func(resource, version, path string) string
	// Names are the Go names that the user has chosen.
	Names Names
	// Compares lets properties have the names of members that Strata adds, since the result is only
	// compared. The CRDs that Strata generates have such properties.
	Compares bool
}

// Refine refines raw resources, several at once, and returns them in their order. Kinds do not
// depend on that order. It calls Rename and Choose concurrently. The result is incomplete if ctx
// ends before Refine returns; the caller must check ctx.
func Refine(ctx context.Context, raw []*model.Resource, opts Options) *Result {
	known := map[string]*model.Resource{}
	for _, k := range opts.Known {
		known[strings.ToLower(k.Type)] = k
	}
	resources := named(raw, opts.Known, opts.Kind)
	results := make([]Result, len(resources))
	parallel.For(ctx, len(resources), runtime.GOMAXPROCS(0), func(i int) {
		r := resources[i]
		results[i].resource(ctx, raw[i], r, known[strings.ToLower(r.Type)], opts)
	})
	out := &Result{}
	for _, r := range results {
		out.add(r)
	}
	return out
}

// resource refines the versions of a raw resource to those of named. known is the resource in the
// ledger; nil for none.
func (out *Result) resource(ctx context.Context, raw, named, known *model.Resource, opts Options) {
	var renames map[string]string
	if opts.Rename != nil {
		renames = opts.Rename(named)
	}
	for _, declared := range byVersion(raw) {
		if ctx.Err() != nil {
			return
		}
		u := newUnit(declared)
		u.ctx = ctx
		u.resource, u.known, u.renames, u.lenient, u.names, u.choose = named, known, folded(renames), opts.Lenient, opts.Names, opts.Choose
		u.compares = opts.Compares
		if v := u.refine(out); v != nil {
			named.Versions = append(named.Versions, v)
		}
	}
	if len(named.Versions) > 0 {
		out.Resources = append(out.Resources, named)
	}
}

// add adds the result of further resources.
func (out *Result) add(more Result) {
	out.Resources = append(out.Resources, more.Resources...)
	out.Conflicts = append(out.Conflicts, more.Conflicts...)
	out.Chosen = append(out.Chosen, more.Chosen...)
	out.Problems = append(out.Problems, more.Problems...)
	out.Notes = append(out.Notes, more.Notes...)
}

// byVersion groups declarations by version, in the order of first occurrence.
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

// unit is one version of one resource, with its declarations. The spec is made from the
// declarations of the first kind of source that has a spec, and likewise the status. The other
// declarations only contribute which properties are secret.
type unit struct {
	resource *model.Resource
	known    *model.Resource   // in the ledger; nil for none
	declared []*model.Version  // of the spec
	statuses []*model.Version  // of the status
	others   []*model.Version  // declarations of the spec by other kinds of sources
	renames  map[string]string // by names in lower case
	lenient  bool
	compares bool
	names    Names
	choose   func(resource, version, path string) string // may be nil
	ctx      context.Context                             // the result is not used once it has ended
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

// refine returns the refined version, or nil if it has problems.
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
	v := &model.Version{Name: first.Name, Pos: first.Pos, Spec: united.spec, AtRoot: first.AtRoot, Status: united.status, Facts: first.Facts, RuleSchema: first.RuleSchema}
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

// disagreements returns a problem for every conflict of the united body that no single
// declaration has.
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
