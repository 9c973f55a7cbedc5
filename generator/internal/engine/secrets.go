package engine

import (
	"cmp"
	"strings"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/secret"
)

// markSecrets marks the properties that the configuration declares as secrets, in all versions
// that the run is about, including those of the ledger.
func (rf Refined) markSecrets() *secret.Rules {
	rules := secret.NewRules(rf.config.Properties)
	for _, r := range rf.Resources {
		if rf.scope.hasType(r.Type) {
			rules.Mark(r)
		}
	}
	return rules
}

// useSecrets marks secrets, and reports rules that have no effect. It ignores rules of resources
// that a run with --only does not have, or that a lenient run omits.
func (rf Refined) useSecrets() {
	rules := rf.markSecrets()
	for i, rule := range rf.config.Properties {
		used := rules.Use(i)
		switch {
		case used.Before > 0 && !rule.IsPattern():
			rf.Messages.Add(diag.Errorf(rf.config.At(rule.Pos.Path+".secret"), "%s is a secret by its source or by an earlier run, and objects may refer to its values", rule.Property).
				WithHint("remove the entry: a secret stays one"))
		case len(used.Mixed) > 0:
			rf.Messages.Add(diag.Warnf(rf.config.At(rule.Pos.Path+".secret"), "%s is a secret in some versions only: in %s it is no text", cmp.Or(rule.Property, rule.Name), strings.Join(used.Mixed, ", ")).
				WithHint("name what is secret in it there, in an entry of its own"))
		case used.Marked > 0, !rf.Only.IsZero(), len(rf.Omitted) > 0:
		default:
			rf.Messages.Add(rf.unusedRule(rule, used))
		}
	}
}

// unusedRule returns an error that states which word of a rule matches nothing.
func (rf Refined) unusedRule(rule config.PropertyRule, used secret.Use) diag.Message {
	at := func(key string) diag.Pos { return rf.config.At(rule.Pos.Path + "." + key) }
	var types []string
	var about []*model.Resource
	for _, r := range rf.Resources {
		types = append(types, r.Type)
		if (config.Only{Resources: []string{rule.Resource}}).AllowsType(r.Type) || rule.Resource == "" {
			about = append(about, r)
		}
	}
	key, text := "property", rule.Property
	if text == "" {
		key, text = "name", rule.Name
	}
	switch {
	case len(about) == 0:
		return nearest(diag.Errorf(at("resource"), "no resource matches %q", rule.Resource), rule.Resource, types, "strata show prints the resources that there are")
	case used.Unfit > 0 && rule.ConfigMap:
		return diag.Errorf(at(key), "%q is an object or a list, and no text of a ConfigMap can be its value", text).WithHint("name what in it is to come from ConfigMaps, as %s", strings.TrimSuffix(text, ".")+".id")
	case used.Unfit > 0:
		return diag.Errorf(at(key), "%q is no string, nor free JSON, so it cannot be a secret", text).WithHint("name what in it is one, as %s", strings.TrimSuffix(text, ".")+".password")
	case used.Resources == 0:
		return diag.Errorf(at(key), "%s is a native kind, which has neither secretRefs nor configMapRefs", about[0].Type).WithHint("remove the entry: only resources of external APIs have secrets")
	}
	return nearest(diag.Errorf(at(key), "no property matches %q", text), text, secret.Paths(about, key == "name"), "strata show prints the properties that there are")
}

// likelySecrets proposes secrets among the resources that the run is about.
func (rf Refined) likelySecrets() []*secret.Proposal {
	var about []*model.Resource
	for _, r := range rf.Resources {
		if rf.scope.hasType(r.Type) {
			about = append(about, r)
		}
	}
	return secret.NewRules(rf.config.Properties).Propose(about)
}
