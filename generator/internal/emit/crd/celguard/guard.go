package celguard

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Rule is a rule of a CRD. The old value is optional with OptionalOldSelf.
type Rule struct {
	Text            string
	OptionalOldSelf bool
}

// Guard returns the text of a rule about self that is also true if a member is missing on which
// the author relies. The text is unchanged if no member can be missing. Members that the rule
// tests need no guard. Members of function results are not known, and get no guard.
//
// A rule that cannot be parsed is returned unchanged. The API server refuses it with a reason.
func Guard(r Rule, self Value, environment *environment.EnvSet) string {
	parsed, issues := environment.StoredExpressionsEnv().Parse(r.Text)
	if issues.Err() != nil {
		return r.Text
	}
	g := &guard{rule: r, self: self, tested: map[string]bool{}}
	g.read(parsed.NativeRep().Expr(), nil)
	return g.result()
}

// guard collects the members that a rule reads.
type guard struct {
	rule   Rule
	self   Value
	uses   []string        // conditions that a value lacks a member that the rule reads
	tested map[string]bool // conditions that a value lacks a member, for members that the rule tests
}

// variables maps the variables of macros to the values that are known of them.
type variables map[string]position

// position is a value that a rule reads, and its text in the rule.
type position struct {
	Value
	text string
	// within converts a condition on the value to one on the whole object. If the value is in
	// lists, the condition must be true for some element.
	within func(condition string) string
}

// below returns the position of a member.
func (p position) below(v Value, text string, presence Presence) position {
	out := position{Value: v, text: text, within: p.within}
	if presence != Always {
		out.within = func(condition string) string { return p.within("has(" + text + ") && " + condition) }
	}
	return out
}

// read records the members that an expression reads, and returns its value if that is known.
func (g *guard) read(e ast.Expr, vars variables) (position, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		return g.variable(e.AsIdent(), vars)
	case ast.SelectKind:
		return g.member(e.AsSelect(), vars)
	case ast.CallKind:
		return g.call(e.AsCall(), vars)
	case ast.ComprehensionKind:
		return g.comprehension(e.AsComprehension(), vars)
	case ast.ListKind:
		g.readAll(e.AsList().Elements(), vars)
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			g.readAll([]ast.Expr{entry.AsMapEntry().Key(), entry.AsMapEntry().Value()}, vars)
		}
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			g.read(field.AsStructField().Value(), vars)
		}
	}
	return position{}, false
}

func (g *guard) readAll(all []ast.Expr, vars variables) {
	for _, e := range all {
		g.read(e, vars)
	}
}

// variable returns the value of a variable if it is known.
func (g *guard) variable(name string, vars variables) (position, bool) {
	if p, ok := vars[name]; ok {
		return p, p.Value != nil
	}
	if name == "self" || name == "oldSelf" && !g.rule.OptionalOldSelf {
		return position{Value: g.self, text: name, within: func(condition string) string { return condition }}, true
	}
	return position{}, false
}

// member records that the rule reads or tests a member.
func (g *guard) member(s ast.SelectExpr, vars variables) (position, bool) {
	of, known := g.read(s.Operand(), vars)
	if !known {
		return position{}, false
	}
	text := of.text + "." + s.FieldName()
	if s.IsTestOnly() {
		g.tested[of.within("!has("+text+")")] = true
		return position{}, false
	}
	name, ok := apiservercel.Unescape(s.FieldName())
	if !ok {
		name = s.FieldName()
	}
	v, presence, ok := of.Member(name)
	if !ok {
		return position{}, false
	}
	if presence == Lacking {
		g.uses = append(g.uses, of.within("!has("+text+")"))
	}
	return of.below(v, text, presence), v != nil
}

// call reads the arguments of a function.
func (g *guard) call(c ast.CallExpr, vars variables) (position, bool) {
	if c.IsMemberFunction() {
		if c.FunctionName() == "value" && g.isOldSelf(c.Target(), vars) {
			return position{Value: g.self, text: "oldSelf.value()", within: func(condition string) string {
				return "oldSelf.hasValue() && " + condition
			}}, true
		}
		g.read(c.Target(), vars)
	}
	if c.FunctionName() == operators.Index && len(c.Args()) == 2 {
		g.read(c.Args()[1], vars)
		if list, known := g.read(c.Args()[0], vars); known {
			return elementOf(list, unused(vars))
		}
		return position{}, false
	}
	g.readAll(c.Args(), vars)
	return position{}, false
}

func (g *guard) isOldSelf(e ast.Expr, vars variables) bool {
	return g.rule.OptionalOldSelf && e.Kind() == ast.IdentKind && e.AsIdent() == "oldSelf" && vars["oldSelf"].Value == nil
}

// elementOf returns the position of some element of a list.
func elementOf(list position, variable string) (position, bool) {
	v, ok := list.Element()
	if !ok {
		return position{}, false
	}
	return position{Value: v, text: variable, within: existing(list, variable)}, true
}

// unused returns a name that no variable has.
func unused(vars variables) string {
	name := "element"
	for {
		if _, taken := vars[name]; !taken {
			return name
		}
		name += "_"
	}
}

// comprehension reads a macro over a list or a map. For a filter of a list, it returns the
// position of the list, because the result consists of the list's elements.
func (g *guard) comprehension(c ast.ComprehensionExpr, vars variables) (position, bool) {
	inner := variables{}
	for name, p := range vars {
		inner[name] = p
	}
	list, known := g.read(c.IterRange(), vars)
	elem := c.IterVar()
	if c.HasIterVar2() {
		inner[elem] = position{}
		elem = c.IterVar2()
	}
	inner[elem], inner[c.AccuVar()] = position{}, position{}
	if known {
		inner[elem], _ = elementOf(list, elem)
	}
	g.readAll([]ast.Expr{c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()}, inner)
	if known && isFilter(c) {
		return list, true
	}
	return position{}, false
}

// isFilter reports whether a macro is filter: each step appends either the element or nothing.
func isFilter(c ast.ComprehensionExpr) bool {
	if c.LoopStep().Kind() != ast.CallKind || c.LoopStep().AsCall().FunctionName() != operators.Conditional {
		return false
	}
	appends := c.LoopStep().AsCall().Args()[1]
	if appends.Kind() != ast.CallKind || len(appends.AsCall().Args()) != 2 {
		return false
	}
	added := appends.AsCall().Args()[1]
	if added.Kind() != ast.ListKind || added.AsList().Size() != 1 {
		return false
	}
	elem := added.AsList().Elements()[0]
	return elem.Kind() == ast.IdentKind && elem.AsIdent() == c.IterVar()
}

// existing returns a function that converts a condition on a variable to one that some element of
// the list fulfils it.
func existing(list position, variable string) func(string) string {
	return func(condition string) string {
		return list.within(fmt.Sprintf("%s.exists(%s, %s)", list.text, variable, condition))
	}
}

// result returns the rule with a guard for each member that the rule reads and does not test.
func (g *guard) result() string {
	var guards []string
	seen := map[string]bool{}
	for _, missing := range g.uses {
		if g.tested[missing] || seen[missing] {
			continue
		}
		seen[missing] = true
		if strings.Contains(missing, " && ") {
			missing = "(" + missing + ")"
		}
		guards = append(guards, missing)
	}
	if len(guards) == 0 {
		return g.rule.Text
	}
	end := ")"
	if strings.Contains(g.rule.Text, "//") {
		end = "\n)" // a comment ends with its line
	}
	return strings.Join(guards, " || ") + " || (" + g.rule.Text + end
}
