package secret

import (
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
}

// Use is the number of matches of a rule.
type Use struct {
	Resources int // resources of external APIs whose types match
	Marked    int // properties that the rule or an earlier one decides
	Unfit     int // properties whose types do not allow secrets, or values from ConfigMaps
	// Before counts properties that the rule declares not to be secrets, and that were secrets
	// before.
	Before int
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
// secrets. It skips a native Kubernetes resource: its users write no secretRefs.
func (r *Rules) Mark(resource *model.Resource) {
	if resource.IsNative() {
		return
	}
	for _, v := range resource.Versions {
		decided, released := map[*model.Property]bool{}, map[*model.Property]bool{}
		for _, one := range r.all {
			switch {
			case !one.isAbout(resource):
			case one.ConfigMap:
				one.release(v, released)
			default:
				one.version(v, decided)
			}
		}
		for _, d := range v.Defs {
			if o := d.Object(); o != nil {
				o.Offer()
				o.Release(func(p *model.Property) bool { return released[p] })
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
	w := walk{pattern: r.pattern, seen: map[visit]bool{}}
	w.found = func(p *model.Property) {
		switch {
		case !isFit(p.Type):
			r.use.Unfit++
		case decided[p]:
			r.use.Marked++
		default:
			decided[p] = true
			r.use.Marked++
			if p.Secret && !r.Secret {
				r.use.Before++
			}
			p.Secret = p.Secret || r.Secret
		}
	}
	w.typ(v.Spec, r.pattern.start())
	w.typ(v.Status, r.pattern.start())
}

// release collects the properties of a version's spec whose values may come from ConfigMaps.
func (r *rule) release(v *model.Version, released map[*model.Property]bool) {
	w := walk{pattern: r.pattern, seen: map[visit]bool{}}
	w.found = func(p *model.Property) {
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
	found   func(*model.Property)
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
			w.found(p)
		}
		w.typ(p.Type, below)
	}
	w.typ(o.Additional, w.pattern.below(at, "*"))
}
