package diff

import (
	"context"
	"fmt"
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/rulecost"
)

// Estimate is why API servers refuse a CRD because of its rules (CEL).
type Estimate struct {
	// Reason is why a rule is invalid.
	Reason string `json:"reason,omitzero"`
	// Cost is the estimate of an API server, and Limit the largest that it accepts. Times is how often
	// the rule is evaluated at most.
	Cost  uint64 `json:"cost,omitzero"`
	Limit uint64 `json:"limit,omitzero"`
	Times uint64 `json:"times,omitzero"`
	// Missing are bounds that would make the estimate smaller.
	Missing []Bound `json:"missing,omitempty"`
}

// Bound is a keyword that a schema lacks, and the path of the schema.
type Bound struct {
	Path    string `json:"path"`
	Keyword string `json:"keyword"`
}

func (e *Estimate) String() string {
	switch {
	case e == nil:
		return ""
	case e.Reason != "":
		return e.Reason
	}
	text := fmt.Sprintf("the estimated cost is %d, and the limit is %d", e.Cost, e.Limit)
	if e.Times > 1 {
		text += fmt.Sprintf("; evaluated up to %d times", e.Times)
	}
	for i, b := range e.Missing {
		if i == 0 {
			text += "; unbounded: "
		} else {
			text += ", "
		}
		if b.Path != "" {
			text += b.Path + " "
		}
		text += "(" + b.Keyword + ")"
	}
	return text
}

var ruleKinds = map[rulecost.Kind]Kind{rulecost.Invalid: RuleInvalid, rulecost.Costly: RuleCost, rulecost.TotalCostly: RuleCostTotal}

// refused returns what API servers refuse of the rules of the later version, and not of those of
// the earlier one.
func refused(ctx context.Context, old, later *model.Version) []Change {
	pathOf := func(p rulecost.Path) string {
		if !old.AtRoot && !later.AtRoot && len(p) > 0 && p[0] == "spec" {
			p = p[1:]
		}
		return p.String()
	}
	var out []Change
	for _, f := range rulecost.Added(ctx, old.RuleSchema, later.RuleSchema) {
		c := Change{Kind: ruleKinds[f.Kind], Path: pathOf(f.Path), New: f.Rule, Pos: later.Pos}
		c.Severity = c.Kind.Rule().Severity
		c.Estimate = &Estimate{Reason: f.Reason, Cost: f.Cost, Limit: f.Limit, Times: f.Times}
		for _, b := range f.Missing {
			c.Estimate.Missing = append(c.Estimate.Missing, Bound{pathOf(b.Path), b.Keyword})
		}
		around := propertiesAt(later, f.Path)
		if len(around) > 0 {
			c.Pos = around[len(around)-1].Pos
		}
		if slices.ContainsFunc(around, func(p *model.Property) bool { return p.Secret }) {
			c.hideRule()
		}
		out = append(out, c)
	}
	return out
}

// hideRule removes the text of a rule about a secret.
func (c *Change) hideRule() {
	c.New = ""
	if c.Estimate.Reason != "" {
		c.Estimate.Reason = "the rule does not compile"
	}
}

// propertiesAt returns the properties on a path in an object of a version, the outermost first.
func propertiesAt(v *model.Version, path rulecost.Path) (out []*model.Property) {
	at := v.Spec
	if len(path) > 0 && path[0] == "status" && v.Status != nil {
		at, path = v.Status, path[1:]
	} else if len(path) > 0 && path[0] == "spec" && !v.AtRoot {
		path = path[1:]
	}
	for _, name := range path {
		if ref, ok := at.(*model.Ref); ok {
			at = ref.Def.Type
		}
		switch t := at.(type) {
		case *model.List:
			at = t.Elem
		case *model.Map:
			at = t.Elem
		case *model.Object:
			p := t.Property(name)
			if p == nil {
				return out
			}
			out, at = append(out, p), p.Type
		default:
			return out
		}
	}
	return out
}
