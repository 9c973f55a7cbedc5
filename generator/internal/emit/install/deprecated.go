package install

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/cel"

	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/plan"
)

// maxWarnings is the largest number of deprecated properties and values of a version for which a
// policy warns.
const maxWarnings = 100

// maxVisits is the largest number of objects of a version in which deprecated properties are
// sought. It bounds the time: types that contain each other have more paths than can be followed.
const maxVisits = 10_000

// deprecations returns the policies that warn clients who write deprecated properties or values,
// one for each served version that has any. A policy never refuses a write, also if its rules fail.
func deprecations(p *plan.Plan, o Options, v values) []any {
	var out []any
	for _, g := range p.Groups {
		for _, k := range g.Kinds {
			for _, kv := range k.Versions {
				if !kv.Serving.Served() {
					continue
				}
				found := warnings(kv)
				if len(found) == 0 {
					continue
				}
				for _, m := range deprecation(kv, o, found) {
					if v.selectable {
						m = selectedManifest{selectorOf(k), m}
					}
					out = append(out, m)
				}
			}
		}
	}
	return out
}

func deprecation(kv *plan.KindVersion, o Options, found []admissionv1.Validation) []any {
	plural, group := kv.Kind.Resource.Model.Plural, kv.Kind.Group.Chain.Name
	name := strings.Join([]string{o.Service, "deprecated", plural, kv.Version.Label, group}, "-")
	match := &admissionv1.MatchResources{
		MatchPolicy: new(admissionv1.Exact), NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{},
		ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
			Rule:       admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{kv.Version.Label}, Resources: []string{plural}, Scope: new(admissionv1.AllScopes)},
		}}},
	}
	return []any{
		&admissionv1.ValidatingAdmissionPolicy{
			TypeMeta: kind(admission, "ValidatingAdmissionPolicy"), ObjectMeta: everywhere(o, name),
			Spec: admissionv1.ValidatingAdmissionPolicySpec{FailurePolicy: new(admissionv1.Ignore), MatchConstraints: match, Validations: found},
		},
		&admissionv1.ValidatingAdmissionPolicyBinding{
			TypeMeta: kind(admission, "ValidatingAdmissionPolicyBinding"), ObjectMeta: everywhere(o, name),
			Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Warn}},
		},
	}
}

// warnings returns a rule for each deprecated property and value of a version's spec. The rule
// fails for objects that have it.
func warnings(kv *plan.KindVersion) []admissionv1.Validation {
	w := &warner{reaches: map[*plan.Struct]bool{}}
	w.mark(kv.Spec, map[*plan.Struct]bool{})
	root := holder{self: "object"}
	path := ""
	if !kv.Version.Model.AtRoot {
		root, path = root.member("spec"), "spec"
	}
	w.object(kv.Spec, root, path)
	return w.found
}

// warner finds the deprecated properties of a version.
type warner struct {
	reaches map[*plan.Struct]bool // the structs that have or contain deprecated properties
	around  []*plan.Struct
	visits  int
	found   []admissionv1.Validation
}

// mark records the structs that have or contain deprecated properties. It repeats this until it
// finds no other, since types are recursive.
func (w *warner) mark(s *plan.Struct, all map[*plan.Struct]bool) {
	gather(s, all)
	for changed := true; changed; {
		changed = false
		for s := range all {
			if !w.reaches[s] && slices.ContainsFunc(s.Fields, func(f *plan.Field) bool { return warns(f) || w.reaches[f.API.Struct] }) {
				w.reaches[s], changed = true, true
			}
		}
	}
}

// warns reports whether a property or one of its values is deprecated.
func warns(f *plan.Field) bool {
	return f.Property.Deprecated != "" || f.API.Enum != nil && slices.ContainsFunc(f.API.Enum.Values, func(v plan.Value) bool { return v.Note != "" })
}

func gather(s *plan.Struct, all map[*plan.Struct]bool) {
	if s == nil || all[s] {
		return
	}
	all[s] = true
	for _, f := range s.Fields {
		gather(f.API.Struct, all)
	}
}

// object adds the rules of an object's properties. It enters each type once in a path.
func (w *warner) object(s *plan.Struct, at holder, path string) {
	if !w.reaches[s] || w.visits == maxVisits || slices.Contains(w.around, s) {
		return
	}
	w.visits++
	w.around = append(w.around, s)
	defer func() { w.around = w.around[:len(w.around)-1] }()
	for _, f := range s.Fields {
		if f.Additional || len(w.found) == maxWarnings {
			continue
		}
		name := f.Property.Name
		here := strings.TrimPrefix(path+"."+name, ".")
		if f.Property.Deprecated != "" {
			w.found = append(w.found, admissionv1.Validation{
				Expression: "!(" + at.has(name) + ")",
				Message:    oneLine(here + " is deprecated: " + f.Property.Deprecated),
			})
		}
		if f.API.Enum != nil {
			w.values(f, at.member(name).within(f.API.Wrap), here+elements.Replace(f.API.Wrap))
		}
		if f.API.Struct != nil {
			w.object(f.API.Struct, at.member(name).within(f.API.Wrap), here+elements.Replace(f.API.Wrap))
		}
	}
}

// values adds the rules of a property's deprecated values. at is the value in CEL.
func (w *warner) values(f *plan.Field, at holder, path string) {
	for _, v := range f.API.Enum.Values {
		if v.Note == "" || len(w.found) == maxWarnings {
			continue
		}
		w.found = append(w.found, admissionv1.Validation{
			Expression: "!(" + at.given(at.self+" == "+literal(v.Text)) + ")",
			Message:    oneLine(path + ": the value " + v.Text + " is deprecated: " + v.Note),
		})
	}
}

// literal returns the JSON text of a value as CEL, which Helm does not take for a template.
func literal(value string) string {
	var text string
	if json.Unmarshal([]byte(value), &text) != nil {
		return value
	}
	return quoted(text)
}

func quoted(text string) string { return strings.ReplaceAll(strconv.Quote(text), "{", `\x7b`) }

// oneLine returns a text as a message of one line, which Helm does not take for a template.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(plaintext.Lines(text)), " ")
	for strings.Contains(text, "{{") { // twice at most
		text = strings.ReplaceAll(text, "{{", "{ {")
	}
	return text
}

// elements formats lists and maps in a path.
var elements = strings.NewReplacer("l", "[]", "m", "{}")

// holder is an object in CEL: the expression of the object itself, and what must hold so that it
// exists. Each condition takes what follows it.
type holder struct {
	self       string
	conditions []condition
}

// condition is the begin and the end of an expression around what follows.
type condition struct{ begin, end string }

// member returns the object in a member.
func (h holder) member(name string) holder {
	self, has := selected(h.self, name)
	return h.when(self, condition{has + " && ", ""})
}

// within returns the objects in lists and maps.
func (h holder) within(wrap string) holder {
	for i := range len(wrap) {
		v := "v" + strconv.Itoa(len(h.conditions))
		each := condition{fmt.Sprintf("%s.exists(%s, ", h.self, v), ")"}
		if wrap[i] == 'm' {
			h = h.when(h.self+"["+v+"]", each)
		} else {
			h = h.when(v, each)
		}
	}
	return h
}

func (h holder) when(self string, c condition) holder {
	return holder{self, append(slices.Clip(h.conditions), c)}
}

// has returns an expression that reports whether some of the objects have a member.
func (h holder) has(name string) string {
	_, out := selected(h.self, name)
	return h.given(out)
}

// given returns an expression that reports whether some of the objects exist and satisfy another
// one.
func (h holder) given(out string) string {
	for _, c := range slices.Backward(h.conditions) {
		out = c.begin + out + c.end
	}
	return out
}

// selected returns the expressions of a member, and of whether an object has it. Policies see
// objects without a schema. So names that CEL cannot select are keys, and are not escaped.
func selected(self, name string) (member, has string) {
	if escaped, ok := cel.Escape(name); ok && escaped == name {
		return self + "." + name, "has(" + self + "." + name + ")"
	}
	key := quoted(name) // Helm takes {{ for a template
	return "dyn(" + self + ")[" + key + "]", key + " in dyn(" + self + ")"
}
