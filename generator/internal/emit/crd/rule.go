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

// guard requires that a client leaves the property bag of a status unchanged. Only the webhook
// writes it, and without it a version would lose the values that it cannot represent.
var guard = v1.ValidationRule{
	Rule: "(has(self.status) && has(self." + bag + ")) == (has(oldSelf.status) && has(oldSelf." + bag + "))" +
		" && (!has(self.status) || !has(self." + bag + ") || self." + bag + " == oldSelf." + bag + ")",
	Message: bag + " stores values that this version cannot represent: write it back as it was read, or patch the status instead of replacing it",
}

// bag is the path of the property bag of API versions.
const bag = "status." + model.PropertyBag

// noBag requires that stored objects have no bag of API versions.
var noBag = v1.ValidationRule{
	Rule:    "!has(self." + model.PropertyBag + ")",
	Message: bag + " belongs to API versions, and is not stored",
}

// requirement is a condition that an object fulfils or violates.
type requirement struct {
	name    string // for users
	message string
	fields  []string // members that the condition reads
	rule    func(self string) string
	err     string // why CEL cannot express it; empty if it can
}

// validation returns a requirement as a rule. If it ratchets, an object that violated it before
// may still violate it.
func (d requirement) validation(ratchets bool) v1.ValidationRule {
	r := v1.ValidationRule{Rule: d.rule("self"), Message: d.message}
	if ratchets {
		r.Rule += " || oldSelf.hasValue() && !(" + d.rule("oldSelf.value()") + ")"
		r.OptionalOldSelf = yes()
	}
	return r
}

// required returns the requirement that a member is set.
func required(name string) requirement {
	d := requirement{name: name + " is required", message: name + " is required", fields: []string{name}}
	field, ok := cel.Escape(name)
	if !ok {
		d.err = "CEL cannot name " + name
	}
	d.rule = func(self string) string { return "has(" + self + "." + field + ")" }
	return d
}

// unionRequirements returns the members that each value of a union's discriminator allows and
// requires. Members with the same values share a requirement. A union without a discriminator has
// none, since its branches may overlap. Members without a schema have none either.
func unionRequirements(s *plan.Struct, declared func(*plan.Field) bool) []requirement {
	u := s.Union
	if u == nil || u.Discriminator == "" {
		return nil
	}
	if !tells(s, u.Discriminator, declared) {
		return nil
	}
	out := requirementsOf(s, func(f *plan.Field) bool { return declared(f) && !f.API.Any })
	for _, d := range requirementsOf(s, func(f *plan.Field) bool { return declared(f) && f.API.Any }) {
		d.err = "CEL does not see free JSON"
		out = append(out, d)
	}
	return out
}

// requirementsOf returns the requirements on the members that some accepts.
func requirementsOf(s *plan.Struct, some func(*plan.Field) bool) []requirement {
	u := newUnion(s.Union)
	for _, f := range s.Fields {
		if !f.Additional && f.Property.Name != u.Discriminator && some(f) {
			u.member(f.Property)
		}
	}
	return u.requirements()
}

// tells reports whether a member is a scalar that CEL compares exactly, so that it can be a
// discriminator.
func tells(s *plan.Struct, member string, declared func(*plan.Field) bool) bool {
	return slices.ContainsFunc(s.Fields, func(f *plan.Field) bool {
		return f.Property.Name == member && declared(f) && f.API.Wrap == "" && f.API.Struct == nil && !f.API.Any && f.API.Kind != model.Number
	})
}

// union groups members by the values that allow and require them.
type union struct {
	*model.Union
	allows, requires  map[string][]string // the values, by member
	values            int                 // the number of values
	order             []string            // texts of values, in order of first use
	known             map[string]bool     // the texts in order
	allowed, required map[string][]string
	only              map[string]string // the value, by texts of a single value
}

func newUnion(of *model.Union) *union {
	u := &union{
		Union: of, allows: map[string][]string{}, requires: map[string][]string{}, known: map[string]bool{},
		allowed: map[string][]string{}, required: map[string][]string{}, only: map[string]string{},
	}
	for _, c := range of.Cases {
		u.values += len(c.Values)
		for _, name := range c.Allows {
			u.allows[name] = append(u.allows[name], c.Values...)
		}
		for _, name := range c.Requires {
			u.requires[name] = append(u.requires[name], c.Values...)
		}
	}
	return u
}

func (u *union) member(p *model.Property) {
	if allows := u.allows[p.Name]; len(allows) > 0 && len(allows) < u.values {
		u.add(u.allowed, allows, p.Name)
	}
	if requires := u.requires[p.Name]; len(requires) > 0 && !p.Required {
		u.add(u.required, requires, p.Name)
	}
}

func (u *union) add(to map[string][]string, values []string, name string) {
	text := "[" + strings.Join(values, ", ") + "]"
	if !u.known[text] {
		u.known[text] = true
		u.order = append(u.order, text)
	}
	if len(values) == 1 {
		u.only[text] = values[0]
	}
	to[text] = append(to[text], name)
}

// requirementKind states whether values allow members or require them.
type requirementKind struct {
	verb     string
	not      bool // the members are to be absent
	unlisted bool // applies if the value is not in the list; else if it is
}

var (
	allowedOnly = requirementKind{verb: "allowed only", not: true, unlisted: true}
	requiredBy  = requirementKind{verb: "required"}
)

func (u *union) requirements() []requirement {
	var out []requirement
	for _, values := range u.order {
		if names := u.allowed[values]; len(names) > 0 {
			out = append(out, u.requirement(values, names, allowedOnly))
		}
		if names := u.required[values]; len(names) > 0 {
			out = append(out, u.requirement(values, names, requiredBy))
		}
	}
	return out
}

// maxMessage is the maximum length of a message for an API server.
const maxMessage = 2048

func (u *union) requirement(values string, names []string, k requirementKind) requirement {
	d := requirement{fields: append(slices.Clone(names), u.Discriminator)}
	d.name = fmt.Sprintf("%s %s %s where %s is %s", listed(names), are(names), k.verb, u.Discriminator, u.oneOf(values))
	if d.message = d.name; len(d.message) > maxMessage {
		d.message = fmt.Sprintf("some of %d members are %s by other values of %s", len(names), k.verb, u.Discriminator)
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
		return allHave(self, fields, k.not) + " || !has(" + self + "." + tag + ") || " + u.is(self+"."+tag, values, k.unlisted)
	}
	return d
}

// allHave returns the condition that an object has all of some members or, with not, none of
// them.
func allHave(self string, fields []string, not bool) string {
	var each []string
	for _, f := range fields {
		has := "has(" + self + "." + f + ")"
		if not {
			has = "!" + has
		}
		each = append(each, has)
	}
	if len(each) == 1 {
		return each[0]
	}
	return "(" + strings.Join(each, " && ") + ")"
}

// is returns the condition that a discriminator is one of some values or, unless one is set, none
// of them.
func (u *union) is(tag, values string, one bool) string {
	only, single := u.only[values]
	switch {
	case single && one:
		return tag + " == " + only
	case single:
		return tag + " != " + only
	case one:
		return tag + " in " + values
	}
	return "!(" + tag + " in " + values + ")"
}

func (u *union) oneOf(values string) string {
	if only, ok := u.only[values]; ok {
		return only
	}
	return "one of " + values
}

func listed(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func are(names []string) string {
	if len(names) == 1 {
		return "is"
	}
	return "are"
}
