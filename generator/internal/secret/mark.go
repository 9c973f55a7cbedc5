package secret

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/model"
)

// Rules are the rules of a configuration about secrets, in its order. The first rule that matches a
// property decides.
type Rules struct {
	all []*rule
}

type rule struct {
	config.PropertyRule
	pattern *pattern
	use     Use

	// marked are the properties of the present resource that the rule marked in some version, and
	// unfit those whose types do not allow a secret.
	marked map[member]bool
	unfit  []unfit
}

// member identifies a property in all versions: by the name of its type, or by the path of a rule
// without wildcards, which has only one.
type member struct{ typ, property string }

type unfit struct {
	member
	at      *model.Property
	version string
}

// Use is the number of matches of a rule.
type Use struct {
	Resources int // resources of external APIs whose types match
	Marked    int // properties that the rule or an earlier one decides
	Unfit     int // properties whose types do not allow secrets, or values from ConfigMaps
	// Before counts properties that the rule declares not to be secrets, and that were secrets
	// before.
	Before int
	// Mixed lists versions in which a property is neither a text nor an enum, although the rule has
	// marked it in other versions.
	Mixed []string
}

// NewRules compiles the rules of a configuration.
func NewRules(all []config.PropertyRule) *Rules {
	out := &Rules{}
	for _, c := range all {
		path := c.Property
		if path == "" {
			path = "**." + c.Name
		}
		out.all = append(out.all, &rule{PropertyRule: c, pattern: newPattern(path)})
	}
	return out
}

// Use returns the matches so far of the rule with an index.
func (r *Rules) Use(i int) Use { return r.all[i].use }

// Mark marks secret properties of a resource in all its versions, in specs and statuses. It makes
// them optional, and also those whose values may come from ConfigMaps, and removes the defaults of
// secrets. An enum that a rule matches is a secret if it is one as a text in another version. Mark
// skips a native Kubernetes resource: its users write no secretRefs.
func (r *Rules) Mark(resource *model.Resource) {
	if resource.IsNative() {
		return
	}
	var released []map[*model.Property]bool // by version
	for _, v := range resource.Versions {
		decided, free := map[*model.Property]bool{}, map[*model.Property]bool{}
		for _, one := range r.all {
			switch {
			case !one.isAbout(resource):
			case one.ConfigMap:
				one.release(v, free)
			default:
				one.version(v, decided)
			}
		}
		released = append(released, free)
	}
	for _, one := range r.all {
		one.unite()
	}
	for i, v := range resource.Versions {
		for _, d := range v.Defs {
			if o := d.Object(); o != nil {
				o.Offer()
				o.Release(func(p *model.Property) bool { return released[i][p] })
			}
		}
		v.HideDefaults()
	}
	for _, one := range r.all {
		if one.isAbout(resource) {
			one.use.Resources++
		}
	}
}

func (r *rule) isAbout(resource *model.Resource) bool {
	return r.Resource == "" || doublestar.MatchUnvalidated(strings.ToLower(r.Resource), strings.ToLower(resource.Type))
}

// version marks the properties of one version that the rule matches, unless an earlier rule has
// decided.
func (r *rule) version(v *model.Version, decided map[*model.Property]bool) {
	if r.marked == nil {
		r.marked = map[member]bool{}
	}
	w := walk{pattern: r.pattern, seen: map[visit]bool{}}
	w.found = func(d *model.Def, p *model.Property) {
		at := r.member(d, p)
		switch {
		case !isFit(p.Type):
			r.use.Unfit++
			r.unfit = append(r.unfit, unfit{at, p, v.Name})
		case decided[p]:
			r.use.Marked++
		default:
			decided[p] = true
			r.use.Marked++
			r.marked[at] = r.Secret
			if p.Secret && !r.Secret {
				r.use.Before++
			}
			p.Secret = p.Secret || r.Secret
		}
	}
	w.typ(v.Spec, r.pattern.start())
	w.typ(v.Status, r.pattern.start())
}

func (r *rule) member(d *model.Def, p *model.Property) member {
	if r.IsPattern() || r.Property == "" {
		return member{d.Name, strings.ToLower(p.Name)}
	}
	return member{}
}

// unite marks enums that are texts in another version, where the rule has marked them. It notes
// other types of marked properties. It ends the rule's work on a resource.
func (r *rule) unite() {
	for _, u := range r.unfit {
		switch {
		case !r.marked[u.member]:
		case isEnumOfTexts(u.at.Type):
			r.use.Unfit--
			r.use.Marked++
			u.at.Secret = true
		case !slices.Contains(r.use.Mixed, u.version):
			r.use.Mixed = append(r.use.Mixed, u.version)
		}
	}
	r.marked, r.unfit = nil, nil
}

// isEnumOfTexts reports whether values of a type are some texts, or lists or maps of them.
func isEnumOfTexts(t model.Type) bool {
	_, inner := chain.Unwrap(t)
	enum, is := inner.(*model.Enum)
	return is && enum.Base == model.String
}

// release collects the properties of a version's spec whose values may come from ConfigMaps.
func (r *rule) release(v *model.Version, released map[*model.Property]bool) {
	w := walk{pattern: r.pattern, seen: map[visit]bool{}}
	w.found = func(_ *model.Def, p *model.Property) {
		if !isPlain(p.Type) {
			r.use.Unfit++
			return
		}
		r.use.Marked++
		released[p] = true
	}
	w.typ(v.Spec, r.pattern.start())
}

// isPlain reports whether a string can represent a value of a type.
func isPlain(t model.Type) bool {
	switch t.(type) {
	case *model.Scalar, *model.Enum, *model.Any:
		return true
	}
	return false
}

// isFit reports whether values of a type can be secrets: strings, free JSON, and lists and maps of
// them.
func isFit(t model.Type) bool {
	_, inner := chain.Unwrap(t)
	if scalar, is := inner.(*model.Scalar); is {
		return scalar.Kind == model.String
	}
	_, is := inner.(*model.Any)
	return is
}

// walk finds the properties that a pattern matches. It visits each definition once for each state.
type walk struct {
	pattern *pattern
	found   func(*model.Def, *model.Property)
	seen    map[visit]bool
}

type visit struct {
	def *model.Def
	at  state
}

func (w *walk) typ(t model.Type, at state) {
	switch t := t.(type) {
	case *model.List:
		w.typ(t.Elem, at)
	case *model.Map:
		w.typ(t.Elem, w.pattern.below(at, "*"))
	case *model.Ref:
		w.def(t.Def, at)
	}
}

func (w *walk) def(d *model.Def, at state) {
	o := d.Object()
	if at == 0 || o == nil || w.seen[visit{d, at}] {
		return
	}
	w.seen[visit{d, at}] = true
	for _, p := range o.Properties {
		below := w.pattern.below(at, p.Name)
		if w.pattern.ends(below) {
			w.found(d, p)
		}
		w.typ(p.Type, below)
	}
	w.typ(o.Additional, w.pattern.below(at, "*"))
}
