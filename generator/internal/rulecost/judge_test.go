package rulecost_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/generator/internal/cputime"
	"github.com/stratakube/strata/generator/internal/rulecost"
)

// spec returns the schema of objects with some members of the spec.
func spec(members string) string {
	return `{"type": "object", "properties": {"spec": {"type": "object", "properties": {` + members + `}}}}`
}

// list returns a member that is a list of texts, with other keywords of the list and the texts. The
// cost of its rule is too large if nothing bounds the list or its texts.
func list(name, ofList, ofTexts string) string {
	return fmt.Sprintf(`%q: {"type": "array", %s "items": {"type": "string" %s}, "x-kubernetes-validations": [{"rule": "self.all(x, x.matches('^[a-z0-9]+(-[a-z0-9]+)*$'))"}]}`, name, ofList, ofTexts)
}

const (
	few   = `"maxItems": 10,`
	short = `, "maxLength": 20`
)

// describe returns faults in short.
func describe(all []rulecost.Fault) string {
	var out []string
	for _, f := range all {
		text := []string{"invalid ", "costly ", "total "}[f.Kind] + f.Path.String() + " " + f.Reason
		for _, b := range f.Missing {
			text = strings.TrimSpace(text) + " " + b.Path.String() + ":" + b.Keyword
		}
		out = append(out, strings.TrimSpace(text))
	}
	return strings.Join(out, "; ")
}

// TestAdded compares two states of schemas.
func TestAdded(t *testing.T) {
	bounded := list("a", few, short)
	unbounded := list("a", "", short)
	rule := func(text string) string {
		return `"a": {"type": "string", "maxLength": 9, "x-kubernetes-validations": [` + text + `]}`
	}
	within := func(keywords, items string) string {
		return spec(`"b": {"type": "array", ` + keywords + ` "items": {"type": "object", "properties": {` + items + `}}}`)
	}
	const costly = "costly spec.a spec.a:maxItems"
	for name, tt := range map[string]struct{ old, later, want string }{
		"nothing before":                     {"", spec(unbounded), costly},
		"the rule comes":                     {spec(""), spec(unbounded), costly},
		"a bound goes":                       {spec(bounded), spec(unbounded), costly},
		"a bound comes":                      {spec(unbounded), spec(bounded), ""},
		"the fault stays":                    {spec(unbounded), spec(unbounded + `, "c": {"type": "string"}`), ""},
		"the fault stays with another bound": {spec(unbounded), spec(list("a", "", `, "maxLength": 21`)), ""},
		"another rule gets the fault":        {spec(unbounded), spec(unbounded + "," + list("b", "", short)), "costly spec.b spec.b:maxItems; total"},
		"the rule is at another path":        {spec(unbounded), spec(list("b", "", short)), "costly spec.b spec.b:maxItems"},
		"rules go":                           {spec(unbounded), "", ""},
		"a bound of texts goes":              {spec(bounded), spec(list("a", few, "")), "costly spec.a spec.a[]:maxLength"},
		"a bound around the rule goes":       {within(few, bounded), within("", bounded), "costly spec.b[].a spec.b:maxItems; total"},
		"nothing bounds the map around":      {"", spec(`"m": {"type": "object", "additionalProperties": {"type": "object", "properties": {` + bounded + `}}}`), "costly spec.m.*.a spec.m:maxProperties; total"},
		"a rule does not compile":            {spec(rule(`{"rule": "true"}`)), spec(rule(`{"rule": "true"}, {"rule": "self.size("}`)), "invalid spec.a line 1, column 11: Syntax error"},
		"a rule is of another type":          {"", spec(rule(`{"rule": "self"}`)), "invalid spec.a cel expression must evaluate to a bool"},
		"a rule is empty":                    {"", spec(rule(`{"rule": " "}`)), "invalid spec.a the rule is empty"},
		"one of two equal faults goes":       {spec(rule(`{"rule": "self"}, {"rule": "self"}`)), spec(rule(`{"rule": "self"}`)), ""},
		"a fault comes twice":                {spec(rule(`{"rule": "self"}`)), spec(rule(`{"rule": "self"}, {"rule": "self"}`)), "invalid spec.a cel expression must evaluate to a bool"},
		"a message does not compile":         {spec(rule(`{"rule": "true"}`)), spec(rule(`{"rule": "true", "messageExpression": "self +"}`)), "invalid spec.a line 1, column 7: Syntax error"},
		"a message is costly": {"", spec(`"a": {"type": "string", "x-kubernetes-validations": [{"rule": "true", "messageExpression": "self.split('').map(x, self + x).join()"}]}`),
			"costly spec.a spec.a:maxLength; total"},
		"earlier elements are not known": {"", within(few, rule(`{"rule": "self == oldSelf"}`)), "invalid spec.b[].a it uses oldSelf, and API servers cannot find the earlier value here"},
		"earlier elements have keys":     {"", within(few+` "x-kubernetes-list-type": "map",`, rule(`{"rule": "self == oldSelf"}`)), ""},
		"keys of elements go": {within(few+` "x-kubernetes-list-type": "map",`, rule(`{"rule": "self == oldSelf"}`)), within(few, rule(`{"rule": "self == oldSelf"}`)),
			"invalid spec.b[].a it uses oldSelf, and API servers cannot find the earlier value here"},
		"a value without a type":    {"", spec(`"a": {"x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-validations": [{"rule": "true"}]}`), "invalid spec.a unable to convert structural schema to CEL declarations"},
		"elements without a list":   {"", spec(`"a": {"type": "object", "items": {"type": "object", "properties": {` + unbounded + `}, "x-kubernetes-validations": [{"rule": "self"}]}, "x-kubernetes-validations": [{"rule": "true"}]}`), ""},
		"an int or string is open":  {"", spec(`"a": {"x-kubernetes-int-or-string": true, "x-kubernetes-validations": [{"rule": "string(self).split('').all(x, string(self).contains(x))"}]}`), "costly spec.a spec.a:maxLength; total"},
		"no schema":                 {"", "[]", ""},
		"a keyword of another type": {"", spec(`"a": {"type": "string", "maxLength": "x", "x-kubernetes-validations": [{"rule": "self"}]}`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := describe(rulecost.Added(t.Context(), tt.old, tt.later))
			if tt.want == "" && got != "" || !hasParts(got, tt.want) {
				t.Errorf("found %q, not %q", got, tt.want)
			}
		})
	}
}

// hasParts reports whether each fault begins as wanted.
func hasParts(got, want string) bool {
	a, b := strings.Split(got, "; "), strings.Split(want, "; ")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !strings.HasPrefix(a[i], b[i]) {
			return false
		}
	}
	return true
}

// TestNumbersOfFaults checks the cost, the limit and the number of evaluations.
func TestNumbersOfFaults(t *testing.T) {
	// A rule with a cost of 2 that an object can have 10,000,000 times.
	text := spec(`"a": {"type": "array", "maxItems": 10000000, "items": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1"}]}}`)
	all := rulecost.Added(t.Context(), "", text)
	if len(all) != 1 || all[0].Times != 10_000_000 || all[0].Limit != 10_000_000 || all[0].Cost%all[0].Times != 0 || all[0].Cost <= all[0].Limit || all[0].Rule != "self > 1" {
		t.Errorf("found %+v", all)
	}
}

// TestAddedEndsWithItsContext checks that a judgement of many rules ends soon after its context.
func TestAddedEndsWithItsContext(t *testing.T) {
	text := spec(manyRules("late", 20_000))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	rulecost.Added(ctx, "", text)
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("the judgement took %v after its context had ended", took)
	}
}

// manyRules returns a member with n different rules.
func manyRules(mark string, n int) string {
	var rules []string
	for i := range n {
		rules = append(rules, fmt.Sprintf(`{"rule": "self != '%s%d'"}`, mark, i))
	}
	return `"a": {"type": "string", "maxLength": 9, "x-kubernetes-validations": [` + strings.Join(rules, ",") + `]}`
}

// manyMembers returns n members, each with a rule.
func manyMembers(mark string, n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"%s%d": {"type": "string", "maxLength": 9, "x-kubernetes-validations": [{"rule": "self != '%s%d'"}]}`, mark, i, mark, i))
	}
	return strings.Join(all, ",")
}

// deep returns n objects within each other, each with a rule, and 20 members beside it.
func deep(mark string, n int) string {
	text := `"end": {"type": "string"}`
	var more strings.Builder
	for i := range 20 {
		fmt.Fprintf(&more, `, "m%d": {"type": "string", "maxLength": %d}`, i, i)
	}
	for i := range n {
		text = fmt.Sprintf(`"%s%d": {"type": "object", "properties": {%s%s}, "x-kubernetes-validations": [{"rule": "self != oldSelf"}, {"rule": "self"}]}`, mark, i, text, more.String())
	}
	return text
}

// TestTimeOfAddedIsLinear measures schemas of two sizes: four times the size may take at most eight
// times as long.
func TestTimeOfAddedIsLinear(t *testing.T) {
	for _, tt := range []struct {
		name  string
		n     int
		write func(mark string, n int) string
	}{
		{"many rules of one value", 250, manyRules},
		{"many members with a rule", 250, manyMembers},
		{"long rules", 2000, func(mark string, n int) string {
			return `"a": {"type": "string", "maxLength": 9, "x-kubernetes-validations": [{"rule": "self == '` + mark + `'` + strings.Repeat(" || self == 'x'", n/100) + `"}]}`
		}},
		{"a rule that is too long", 50_000, func(mark string, n int) string {
			return `"a": {"type": "string", "maxLength": 9, "x-kubernetes-validations": [{"rule": "` + mark + strings.Repeat("(", n) + `"}]}`
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			measure := func(mark string, n int) time.Duration {
				var text strings.Builder
				text.WriteString(spec(tt.write(mark, n)))
				start := cputime.Used()
				rulecost.Added(t.Context(), "", text.String())
				return cputime.Used() - start
			}
			measure("warm", tt.n)
			small, large := measure("small", tt.n), measure("large", 4*tt.n)
			t.Logf("%v, and %v for four times the size", small, large)
			if large > 8*small+500*time.Millisecond {
				t.Errorf("%v, and %v for four times the size", small, large)
			}
		})
	}
}

// TestTimeOfDeepSchemas checks that rules in objects within each other, as deep as files may be,
// take little time.
func TestTimeOfDeepSchemas(t *testing.T) {
	start := cputime.Used()
	all := rulecost.Added(t.Context(), "", spec(deep("d", 80)))
	if took := cputime.Used() - start; took > 20*time.Second {
		t.Errorf("80 objects within each other took %v", took)
	}
	if len(all) != 80 {
		t.Errorf("%d of 80 rules do not compile", len(all))
	}
}

// TestOversizedSchemasAreNotJudged checks that a schema takes no time that no API server accepts.
func TestOversizedSchemasAreNotJudged(t *testing.T) {
	rule := list("a", "", "")
	if all := rulecost.Added(t.Context(), "", spec(rule)); len(all) == 0 {
		t.Fatal("the rule has no fault")
	}
	padded := spec(rule + `, "b": {"type": "string", "enum": ["` + strings.Repeat("x", 4<<20) + `"]}`)
	if all := rulecost.Added(t.Context(), "", padded); len(all) > 0 {
		t.Errorf("found %v", describe(all))
	}
}
