package celguard_test

import (
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/stratakube/strata/generator/internal/emit/crd/celguard"
)

// TestGuardOfRuleThatEndsInComment checks that the guarded rule does not end within the
// comment.
func TestGuardOfRuleThatEndsInComment(t *testing.T) {
	env := celguard.Environment(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	for _, rule := range []string{"self.group != '' // since v2", "self.group != 'http://'"} {
		got := celguard.Guard(celguard.Rule{Text: rule}, object{"group!": scalar{}}, env)
		if _, issues := env.Parse(got); issues.Err() != nil || got == rule {
			t.Errorf("%q: %v", got, issues.Err())
		}
	}
}

// object is a value of a test: members by name, those that may be missing with a mark: ? for
// optional ones, ! for those that objects of other versions lack.
type object map[string]celguard.Value

type list struct{ of celguard.Value }

type scalar struct{}

func (o object) Member(name string) (celguard.Value, celguard.Presence, bool) {
	for suffix, presence := range map[string]celguard.Presence{"": celguard.Always, "?": celguard.Optional, "!": celguard.Lacking} {
		if v, ok := o[name+suffix]; ok {
			return v, presence, true
		}
	}
	return nil, 0, false
}

func (object) Element() (celguard.Value, bool)                         { return nil, false }
func (list) Member(string) (celguard.Value, celguard.Presence, bool)   { return nil, 0, false }
func (l list) Element() (celguard.Value, bool)                         { return l.of, true }
func (scalar) Member(string) (celguard.Value, celguard.Presence, bool) { return nil, 0, false }
func (scalar) Element() (celguard.Value, bool)                         { return nil, false }

func TestGuard(t *testing.T) {
	node := object{"group!": scalar{}, "kind": scalar{}, "note?": scalar{}, "below?": object{"group!": scalar{}}}
	self := object{
		"group!": scalar{}, "kind": scalar{}, "note?": scalar{}, "node?": node, "always": node, "late!": node,
		"nodes?": list{node}, "lists": list{list{node}}, "namespace!": scalar{},
	}
	env := celguard.Environment(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	tests := []struct {
		reason   string
		rule     string
		optional bool
		guard    string // before the rule; after =, the whole rule
	}{
		{"members that every object has", "self.kind == oldSelf.kind", false, ""},
		{"a member that the author tests", "!has(self.note) || self.note != ''", false, ""},
		{"a member that others lack, now and before", "self.group == oldSelf.group", false, "!has(self.group) || !has(oldSelf.group)"},
		{"a member that others lack, and that the author tests", "!has(self.group) || self.group == 'a'", false, ""},
		{"the same member twice", "self.group == 'a' || self.group == 'b'", false, "!has(self.group)"},
		{"below an optional member", "!has(self.node) || self.node.group == 'a'", false, "(has(self.node) && !has(self.node.group))"},
		{"below a member that every object has", "self.always.group == 'a'", false, "!has(self.always.group)"},
		{"below a member that others lack", "self.late.group == 'a'", false, "!has(self.late) || (has(self.late) && !has(self.late.group))"},
		{"tested below a member that others lack", "!has(self.late.note)", false, "!has(self.late)"},
		{"in elements", "self.nodes.all(n, n.group != '')", false, `=self.nodes.all(n, !has(n.group) || n.group != "")`},
		{"in elements, where the rule is more", "self.nodes.all(n, n.group == 'a' && n.kind == '' || n.group == '')", false,
			`=self.nodes.all(n, !has(n.group) || n.group == "a" && n.kind == "" || n.group == "")`},
		{"in elements, and in the object", "self.kind == '' || has(self.nodes) && self.nodes.all(n, n.group == self.group)", false,
			`=!has(self.group) || (self.kind == "" || has(self.nodes) && self.nodes.all(n, !has(n.group) || n.group == self.group))`},
		{"in elements of elements", "self.lists.all(l, l.all(n, n.group != n.kind))", false, `=self.lists.all(l, l.all(n, !has(n.group) || n.group != n.kind))`},
		{"in elements that exist, of elements", "self.lists.all(l, l.exists(n, n.group != n.kind))", false,
			`=self.lists.all(l, l.exists(n, !has(n.group)) || l.exists(n, n.group != n.kind))`},
		{"in elements that exist", "self.nodes.exists(n, n.group == '')", false, "(has(self.nodes) && self.nodes.exists(n, !has(n.group)))"},
		{"in elements of a negation", "!self.nodes.all(n, n.group == '')", false, "(has(self.nodes) && self.nodes.exists(n, !has(n.group)))"},
		{"in elements of a condition", "self.nodes.all(n, n.group == '') ? self.kind == '' : self.kind == 'a'", false,
			"(has(self.nodes) && self.nodes.exists(n, !has(n.group)))"},
		{"in elements of a branch", "self.kind == '' ? self.nodes.all(n, n.group == '') : true", false,
			`=(self.kind == "") ? self.nodes.all(n, !has(n.group) || n.group == "") : true`},
		{"in elements that are compared", "self.nodes.all(n, n.group == '') == true", false, "(has(self.nodes) && self.nodes.exists(n, !has(n.group)))"},
		{"in elements with their index", "self.nodes.all(i, n, i == 0 || n.group == '')", false, `=self.nodes.all(i, n, !has(n.group) || i == 0 || n.group == "")`},
		{"in elements, with names that the guards have", "self.nodes.all(guard_0_, guard_0_.group == 'xguard_0_')", false,
			`=self.nodes.all(guard_0_, !has(guard_0_.group) || guard_0_.group == "xguard_0_")`},
		{"in elements, with a pattern", `self.nodes.all(n, n.group.matches('^\\d{2}\'"$'))`, false, `=self.nodes.all(n, !has(n.group) || n.group.matches("^\\d{2}'\"$"))`},
		{"below an optional member of elements", "self.lists.all(l, l.all(n, n.below.group == ''))", false,
			`=self.lists.all(l, l.all(n, (has(n.below) && !has(n.below.group)) || n.below.group == ""))`},
		{"in elements of what a filter returns", "self.nodes.filter(n, n.kind == '').all(m, m.group == '')", false,
			`=self.nodes.filter(n, n.kind == "").all(m, !has(m.group) || m.group == "")`},
		{"of one element", "self.lists[0][0].group == 'a'", false, "self.lists.exists(element, element.exists(element, !has(element.group)))"},
		{"of an element in an element", "self.lists.all(element, element[0].group == 'a')", false,
			`=self.lists.all(element, element.exists(element_, !has(element_.group)) || element[0].group == "a")`},
		{"of what a filter returns", "self.nodes.filter(n, n.kind == '').map(m, m.group).size() == 0", false, "(has(self.nodes) && self.nodes.exists(m, !has(m.group)))"},
		{"of what a filter returns in one", "self.nodes.filter(n, n.group == '').filter(m, m.group == '').size() == 0", false,
			"(has(self.nodes) && self.nodes.exists(n, !has(n.group))) || (has(self.nodes) && self.nodes.exists(m, !has(m.group)))"},
		{"an old value that is optional", "!oldSelf.hasValue() || oldSelf.value().group == self.group", true, "(oldSelf.hasValue() && !has(oldSelf.value().group)) || !has(self.group)"},
		{"a name that CEL reserves", "self.__namespace__ == 'a'", false, "!has(self.__namespace__)"},
		{"the variable of a macro that is called self", "[1].all(self, self > 0)", false, ""},
		{"an optional selection", "self.?group.orValue('') == ''", false, ""},
		{"tested with the variable of another macro", "self.nodes.all(n, has(n.group)) && self.lists[0].all(n, n.group != '')", false,
			`=self.nodes.all(n, has(n.group)) && self.lists[0].all(n, !has(n.group) || n.group != "")`},
		{"tested in an element of another list", "has(self.nodes[0].group) || self.lists[0][0].group == ''", false, "self.lists.exists(element, element.exists(element, !has(element.group)))"},
		{"no rule", "self.", false, ""},
	}
	for _, tt := range tests {
		got := celguard.Guard(celguard.Rule{Text: tt.rule, OptionalOldSelf: tt.optional}, self, env)
		want := tt.rule
		if whole, is := strings.CutPrefix(tt.guard, "="); is {
			want = whole
		} else if tt.guard != "" {
			want = tt.guard + " || (" + tt.rule + ")"
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", tt.reason, got, want)
		}
		if strings.HasSuffix(tt.rule, ".") {
			continue
		}
		if _, issues := env.Parse(got); issues.Err() != nil {
			t.Errorf("%s: %v", tt.reason, issues.Err())
		}
	}
}
