package crd

import (
	"regexp"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/emit/crd/celguard"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/rulecost"
)

// guardRules guards the source's rules of a schema against members that objects of other versions
// lack. self is the value that the rules are about.
func (w *walk) guardRules(of *props, self celguard.Value) {
	if self == nil {
		return
	}
	for i, r := range of.XValidations {
		text := celguard.Guard(celguard.Rule{Text: r.Rule, OptionalOldSelf: r.OptionalOldSelf != nil && *r.OptionalOldSelf}, self, guardEnvironment())
		if text == r.Rule {
			continue
		}
		if reason := w.guardCosts(*of, r, text); reason != "" {
			w.unguarded = append(w.unguarded, Unguarded{w.version.Version.Label, w.currentPath(), r.Rule, reason})
			continue
		}
		w.guarded = append(w.guarded, Guarded{w.version.Version.Label, w.currentPath(), r.Rule, text})
		of.XValidations[i].Rule = text
	}
}

var guardEnvironment = sync.OnceValue(func() *cel.Env { return celguard.Environment(rulecost.Environment()) })

// guardCosts subtracts the additional cost of a guard from the budget. It returns the reason why
// the guarded rule is too expensive, or an empty text.
func (w *walk) guardCosts(of props, r v1.ValidationRule, text string) string {
	const tooMuch = "the guarded rule could cost more than an API server allows: nothing bounds the lists or maps around it"
	before, err := costWith(of, r)
	if err != nil {
		return "" // the API server refuses the rule with a reason
	}
	r.Rule = text
	after, err := costWith(of, r)
	switch {
	case err != nil:
		return err.Error()
	case rulecost.Product(after.Once, w.within.count) > validation.StaticEstimatedCostLimit:
		return tooMuch
	case !w.affords(rulecost.Cost{Once: after.Once - min(after.Once, before.Once), Most: after.Most}):
		return tooMuch
	}
	return ""
}

// costWith estimates one rule of a schema.
func costWith(of props, r v1.ValidationRule) (rulecost.Cost, error) {
	if of.Properties != nil && r.OptionalOldSelf == nil && !wholeSelf.MatchString(r.Rule) {
		of = mentioned(of, names(r), false)
	}
	of.Description, of.XValidations = "", v1.ValidationRules{r}
	return rulecost.Of(of)
}

// wholeSelf matches a rule that uses self itself, and not only members of it.
var wholeSelf = regexp.MustCompile(`\b(self|oldSelf)\b($|[^.])`)

// names returns a function that reports whether a rule may read a member of an object.
func names(r v1.ValidationRule) func(string) bool {
	return func(name string) bool {
		escaped, ok := apiservercel.Escape(name)
		return ok && strings.Contains(r.Rule, escaped) || strings.Contains(r.Rule, name)
	}
}

// ruled is a value of a version for the guards of rules: objects in some lists and maps.
type ruled struct {
	version int
	wrap    string       // lists and maps around the objects, as [chain.Unwrap] spells them
	place   *chain.Place // of the objects; nil if there are none
}

// Member implements [celguard.Value].
func (v ruled) Member(name string) (celguard.Value, celguard.Presence, bool) {
	if v.wrap != "" || v.place == nil {
		return nil, 0, false
	}
	l := v.place.At(v.version, name)
	if l == nil {
		return nil, 0, false
	}
	p := l.Live[v.version]
	wrap, _ := chain.Unwrap(p.Type)
	presence := celguard.Always
	switch {
	case !p.Required:
		presence = celguard.Optional
	case isLackedElsewhere(l, v.version):
		presence = celguard.Lacking
	}
	return ruled{v.version, wrap, l.Child(v.version)}, presence, true
}

// Element implements [celguard.Value].
func (v ruled) Element() (celguard.Value, bool) {
	if v.wrap == "" || v.wrap[0] != 'l' {
		return nil, false
	}
	return ruled{v.version, v.wrap[1:], v.place}, true
}

// isLackedElsewhere reports whether objects of another version may lack a property that a version
// requires. They may if that version has the object around it and does not require the property,
// or if its value does not convert to the version.
func isLackedElsewhere(l *chain.Lineage, version int) bool {
	for i, d := range l.Place.Defs {
		if i == version || d == nil {
			continue
		}
		if p := l.Live[i]; p == nil || !p.Required || !l.Transfers(i, version) {
			return true
		}
	}
	return false
}

// self returns the value at the walk's path, which is of type t.
func (w *walk) self(t model.Type) celguard.Value {
	r, version := w.version.Kind.Resource, w.version.Version.Index
	place := r.Root
	if w.status && r.Status != nil {
		place = r.Status
	}
	for _, name := range w.path {
		l := place.At(version, name)
		if l == nil || l.Child(version) == nil {
			return nil
		}
		place = l.Child(version)
	}
	wrap, _ := chain.Unwrap(t)
	return ruled{version, wrap, place}
}

// wholeObject is a whole object. Its members are spec and status, or those of the spec if these
// are at the root.
type wholeObject struct {
	version *plan.KindVersion
}

// Member implements [celguard.Value].
func (o wholeObject) Member(name string) (celguard.Value, celguard.Presence, bool) {
	r, version := o.version.Kind.Resource, o.version.Version.Index
	root := ruled{version, "", r.Root}
	switch {
	case name == "status" && r.Status != nil:
		return ruled{version, "", r.Status}, celguard.Optional, true
	case o.version.Version.Model.AtRoot:
		return root.Member(name)
	case name == "spec":
		return root, celguard.Optional, true
	}
	return nil, 0, false
}

// Element implements [celguard.Value].
func (wholeObject) Element() (celguard.Value, bool) { return nil, false }
