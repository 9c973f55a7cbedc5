package crd

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiserver/pkg/cel"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// guard keeps the property bag of a status as it was: only the webhook writes it,
// and without it a version would lose what it cannot show.
var guard = v1.ValidationRule{
	Rule: "(has(self.status) && has(self.status.propertyBag)) == (has(oldSelf.status) && has(oldSelf.status.propertyBag))" +
		" && (!has(self.status) || !has(self.status.propertyBag) || self.status.propertyBag == oldSelf.status.propertyBag)",
	Message: "status.propertyBag holds what this version cannot show: write it back as it was read, or patch the status instead of replacing it",
}

// noBag keeps bags out of what is stored.
var noBag = v1.ValidationRule{
	Rule:    "!has(self.propertyBag)",
	Message: "status.propertyBag belongs to API versions, and is not stored",
}

// demand is a condition on an object that holds of it, or is broken.
type demand struct {
	name    string // for people
	message string
	fields  []string // members that it speaks of
	rule    func(self string) string
	err     string // why it cannot be said; empty if it can
}

// validation is a demand as a rule. A ratcheting one holds of an object that broke
// it before.
func (d demand) validation(ratchets bool) v1.ValidationRule {
	r := v1.ValidationRule{Rule: d.rule("self"), Message: d.message}
	if ratchets {
		r.Rule += " || oldSelf.hasValue() && !(" + d.rule("oldSelf.value()") + ")"
		r.OptionalOldSelf = yes()
	}
	return r
}

// required demands a member.
func required(name string) demand {
	d := demand{name: name + " is required", message: name + " is required", fields: []string{name}}
	field, ok := cel.Escape(name)
	if !ok {
		d.err = "CEL cannot name " + name
	}
	d.rule = func(self string) string { return "has(" + self + "." + field + ")" }
	return d
}

// unionDemands say what each value of a union's discriminator allows and requires.
// Members with the same values share a demand. A union without a discriminator
// says nothing, since its branches may overlap.
func unionDemands(s *plan.Struct) []demand {
	u := s.Union
	if u == nil || u.Discriminator == "" {
		return nil
	}
	b := &union{Union: u, allowed: map[string][]string{}, required: map[string][]string{}, only: map[string]string{}}
	for _, f := range s.Fields {
		if !f.Additional && f.Property.Name != u.Discriminator {
			b.member(f.Property)
		}
	}
	return b.demands()
}

// union sorts members by the values that allow and require them.
type union struct {
	*model.Union
	order             []string // texts of values, in order of first use
	allowed, required map[string][]string
	only              map[string]string // the value in a text of one
}

func (u *union) member(p *model.Property) {
	allows := u.values(func(c model.Case) bool { return slices.Contains(c.Allows, p.Name) })
	requires := u.values(func(c model.Case) bool { return slices.Contains(c.Requires, p.Name) })
	all := u.values(func(model.Case) bool { return true })
	if len(allows) > 0 && len(allows) < len(all) {
		u.add(u.allowed, allows, p.Name)
	}
	if len(requires) > 0 && !p.Required {
		u.add(u.required, requires, p.Name)
	}
}

func (u *union) values(of func(model.Case) bool) []string {
	var out []string
	for _, c := range u.Cases {
		if of(c) {
			out = append(out, c.Values...)
		}
	}
	return out
}

func (u *union) add(to map[string][]string, values []string, name string) {
	text := "[" + strings.Join(values, ", ") + "]"
	if !slices.Contains(u.order, text) {
		u.order = append(u.order, text)
	}
	if len(values) == 1 {
		u.only[text] = values[0]
	}
	to[text] = append(to[text], name)
}

func (u *union) demands() []demand {
	var out []demand
	for _, values := range u.order {
		if names := u.allowed[values]; len(names) > 0 {
			out = append(out, u.demand(values, names, "is allowed only", "!", " && "))
		}
		if names := u.required[values]; len(names) > 0 {
			out = append(out, u.demand(values, names, "is required", "", " && "))
		}
	}
	return out
}

// maxMessage is how long a message may be for an API server.
const maxMessage = 2048

func (u *union) demand(values string, names []string, verb, not, and string) demand {
	is := "in " + values
	where := fmt.Sprintf("%s where %s is one of %s", verb, u.Discriminator, values)
	if one, ok := u.only[values]; ok {
		is = "== " + one
		where = fmt.Sprintf("%s where %s is %s", verb, u.Discriminator, one)
	}
	d := demand{fields: append(slices.Clone(names), u.Discriminator)}
	d.name = strings.Join(names, ", ") + " " + where
	if d.message = d.name; len(d.message) > maxMessage {
		d.message = fmt.Sprintf("one of %d members %s others than these values", len(names), verb)
	}
	var escaped []string
	for _, name := range d.fields {
		field, ok := cel.Escape(name)
		if !ok {
			d.err = "CEL cannot name " + name
		}
		escaped = append(escaped, field)
	}
	fields, tag := escaped[:len(names)], escaped[len(names)]
	d.rule = func(self string) string {
		var has []string
		for _, f := range fields {
			has = append(has, not+"has("+self+"."+f+")")
		}
		of := strings.Join(has, and)
		if len(has) > 1 {
			of = "(" + of + ")"
		}
		return of + " || !has(" + self + "." + tag + ") || " + self + "." + tag + " " + is
	}
	return d
}
