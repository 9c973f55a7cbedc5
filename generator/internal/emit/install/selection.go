package install

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/plan"
)

// Select returns the part of a plan that selectors name. Each is a group or group/Kind, in any
// letter case, where the group may be its folder. A selector that matches nothing is an error
// that lists the choices.
func Select(p *plan.Plan, selectors []string) (*plan.Plan, error) {
	out := *p
	out.Groups = nil
	matched := map[string]bool{}
	for _, g := range p.Groups {
		part := *g
		part.Kinds = nil
		for _, k := range g.Kinds {
			named := false
			for _, s := range selectors {
				if selects(s, k) {
					named, matched[s] = true, true
				}
			}
			if named {
				part.Kinds = append(part.Kinds, k)
			}
		}
		if len(part.Kinds) > 0 {
			out.Groups = append(out.Groups, &part)
		}
	}
	for _, s := range selectors {
		if !matched[s] {
			return nil, fmt.Errorf("%q names no group and no kind: there are %s", s, strings.Join(choices(p), ", "))
		}
	}
	return &out, nil
}

func selects(selector string, k *plan.Kind) bool {
	group, name, hasKind := strings.Cut(selector, "/")
	return (strings.EqualFold(group, k.Group.Chain.Name) || strings.EqualFold(group, k.Group.Chain.Folder)) &&
		(!hasKind || strings.EqualFold(name, k.Name))
}

// mentioned is the maximum number of choices in an error.
const mentioned = 20

func choices(p *plan.Plan) []string {
	var out []string
	for _, g := range p.Groups {
		for _, k := range g.Kinds {
			out = append(out, g.Chain.Name+"/"+k.Name)
		}
	}
	slices.Sort(out)
	if more := len(out) - mentioned; more > 0 {
		out = append(out[:mentioned], fmt.Sprintf("and %d more", more))
	}
	return out
}

// selectors returns selectors for the kinds of a plan: a group if the plan has all of its kinds,
// else the kinds. A kind refers to the complete group in which it was planned.
func selectors(p *plan.Plan) []string {
	var out []string
	for _, g := range p.Groups {
		if len(g.Kinds) == len(g.Kinds[0].Group.Kinds) {
			out = append(out, g.Chain.Name)
			continue
		}
		for _, k := range g.Kinds {
			out = append(out, g.Chain.Name+"/"+k.Name)
		}
	}
	return out
}
