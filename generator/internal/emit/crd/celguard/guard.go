package celguard

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/parser"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Rule is a rule of a CRD. The old value is optional with OptionalOldSelf.
type Rule struct {
	Text            string
	OptionalOldSelf bool
}

// Environment returns an environment for Guard. It parses what those of the API server parse, and
// remembers macros, so that rules can be printed.
func Environment(of *environment.EnvSet) *cel.Env {
	env, err := of.StoredExpressionsEnv().Extend(cel.EnableMacroCallTracking())
	if err != nil {
		panic(err) // the option applies to every environment
	}
	return env
}

// Guard returns the text of a rule about self that is also true if a member is missing on which
// the author relies. The text is unchanged if no member can be missing. Members that the rule
// tests need no guard. Members of function results are not known, and get no guard.
//
// A rule that requires something of all elements of a list still requires it of the elements that
// have the member. Other rules about a list are true if one of its elements lacks a member.
//
// env is from Environment. A rule that cannot be parsed is returned unchanged. The API server
// refuses it with a reason.
func Guard(r Rule, self Value, env *cel.Env) string {
	parsed, issues := env.Parse(r.Text)
	if issues.Err() != nil {
		return r.Text
	}
	for _, scopes := range []bool{true, false} {
		g := &guard{rule: r, self: self, info: parsed.NativeRep().SourceInfo(), scopes: scopes, tested: map[use]bool{}}
		g.read(parsed.NativeRep().Expr(), nil, true)
		text, err := g.result(parsed.NativeRep().Expr())
		if err != nil {
			continue
		}
		if _, issues := env.Parse(text); issues.Err() == nil {
			return text
		}
	}
	return r.Text
}

// guard collects the members that a rule reads.
type guard struct {
	rule   Rule
	self   Value
	info   *ast.SourceInfo
	scopes bool         // guards within macros are wanted
	uses   []use        // for members that the rule reads
	tested map[use]bool // for members that the rule tests
}

// use is a condition that a value lacks a member. Its scope is the macro whose body it is about: 0
// for the whole rule.
type use struct {
	scope     int64
	condition string
}

// variables maps the variables of macros to the values that are known of them.
type variables map[string]position

// position is a value that a rule reads, and its text in the rule.
type position struct {
	Value
	text string
	// within converts a condition on the value to one on the scope. If the value is in lists, the
	// condition must be true for some element.
	within func(condition string) string
	scope  int64
}

func (p position) lacks(text string) use { return use{p.scope, p.within("!has(" + text + ")")} }

// below returns the position of a member.
func (p position) below(v Value, text string, presence Presence) position {
	out := position{Value: v, text: text, within: p.within, scope: p.scope}
	if presence != Always {
		out.within = func(condition string) string { return p.within("has(" + text + ") && " + condition) }
	}
	return out
}

// read records the members that an expression reads, and returns its value if that is known. A
// rule that is true stays true if a positive expression in it becomes true.
func (g *guard) read(e ast.Expr, vars variables, positive bool) (position, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		return g.variable(e.AsIdent(), vars)
	case ast.SelectKind:
		return g.member(e.AsSelect(), vars)
	case ast.CallKind:
		return g.call(e.AsCall(), vars, positive)
	case ast.ComprehensionKind:
		return g.comprehension(e.ID(), e.AsComprehension(), vars, positive)
	case ast.ListKind:
		g.readAll(e.AsList().Elements(), vars, false)
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			g.readAll([]ast.Expr{entry.AsMapEntry().Key(), entry.AsMapEntry().Value()}, vars, false)
		}
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			g.read(field.AsStructField().Value(), vars, false)
		}
	}
	return position{}, false
}

func (g *guard) readAll(all []ast.Expr, vars variables, positive bool) {
	for _, e := range all {
		g.read(e, vars, positive)
	}
}

// variable returns the value of a variable if it is known.
func (g *guard) variable(name string, vars variables) (position, bool) {
	if p, ok := vars[name]; ok {
		return p, p.Value != nil
	}
	if name == "self" || name == "oldSelf" && !g.rule.OptionalOldSelf {
		return position{Value: g.self, text: name, within: unchanged}, true
	}
	return position{}, false
}

// member records that the rule reads or tests a member.
func (g *guard) member(s ast.SelectExpr, vars variables) (position, bool) {
	of, known := g.read(s.Operand(), vars, false)
	if !known {
		return position{}, false
	}
	text := of.text + "." + s.FieldName()
	if s.IsTestOnly() {
		g.tested[of.lacks(text)] = true
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
		g.uses = append(g.uses, of.lacks(text))
	}
	return of.below(v, text, presence), v != nil
}

// call reads the arguments of a function.
func (g *guard) call(c ast.CallExpr, vars variables, positive bool) (position, bool) {
	if c.IsMemberFunction() {
		if c.FunctionName() == "value" && g.isOldSelf(c.Target(), vars) {
			return position{Value: g.self, text: "oldSelf.value()", within: func(condition string) string {
				return "oldSelf.hasValue() && " + condition
			}}, true
		}
		g.read(c.Target(), vars, false)
	}
	if c.FunctionName() == operators.Index && len(c.Args()) == 2 {
		g.read(c.Args()[1], vars, false)
		if list, known := g.read(c.Args()[0], vars, false); known {
			return elementOf(list, unused(vars))
		}
		return position{}, false
	}
	switch args := c.Args(); c.FunctionName() {
	case operators.LogicalAnd, operators.LogicalOr:
		g.readAll(args, vars, positive)
	case operators.Conditional:
		g.read(args[0], vars, false)
		g.readAll(args[1:], vars, positive)
	default:
		g.readAll(args, vars, false)
	}
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
	return position{Value: v, text: variable, within: existing(list, variable), scope: list.scope}, true
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
func (g *guard) comprehension(id int64, c ast.ComprehensionExpr, vars variables, positive bool) (position, bool) {
	inner := variables{}
	for name, p := range vars {
		inner[name] = p
	}
	list, known := g.read(c.IterRange(), vars, false)
	elem := c.IterVar()
	if c.HasIterVar2() {
		inner[elem] = position{}
		elem = c.IterVar2()
	}
	inner[elem], inner[c.AccuVar()] = position{}, position{}
	positive = positive && g.isAll(id)
	if known {
		inner[elem], _ = elementOf(list, elem)
		if positive && g.scopes {
			inner[elem] = position{Value: inner[elem].Value, text: elem, within: unchanged, scope: id}
		}
	}
	g.readAll([]ast.Expr{c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()}, inner, positive)
	if known && isFilter(c) {
		return list, true
	}
	return position{}, false
}

func unchanged(condition string) string { return condition }

// isAll reports whether a macro requires something of all elements.
func (g *guard) isAll(id int64) bool {
	m, ok := g.info.GetMacroCall(id)
	return ok && m.Kind() == ast.CallKind && m.AsCall().FunctionName() == operators.All && m.AsCall().IsMemberFunction()
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
func (g *guard) result(rule ast.Expr) (string, error) {
	guards := map[int64][]string{}
	seen := map[use]bool{}
	for _, u := range g.uses {
		if g.tested[u] || seen[u] {
			continue
		}
		seen[u] = true
		if strings.Contains(u.condition, " && ") {
			u.condition = "(" + u.condition + ")"
		}
		guards[u.scope] = append(guards[u.scope], u.condition)
	}
	text, err := g.within(rule, guards)
	if err != nil || len(guards[0]) == 0 {
		return text, err
	}
	end := ")"
	if strings.Contains(text, "//") {
		end = "\n)" // a comment ends with its line
	}
	return strings.Join(guards[0], " || ") + " || (" + text + end, nil
}

// within returns the rule with the guards of macros in their bodies.
func (g *guard) within(rule ast.Expr, guards map[int64][]string) (string, error) {
	build := ast.NewExprFactory()
	var replace []string
	for _, id := range slices.Sorted(maps.Keys(guards)) {
		if id == 0 {
			continue
		}
		m, _ := g.info.GetMacroCall(id)
		call := m.AsCall()
		// The printer adds the parentheses that the body needs. It knows no text, so a variable stands
		// for the guard.
		name := g.unusedName(len(replace))
		replace = append(replace, name, strings.Join(guards[id], " || "))
		args := slices.Clone(call.Args())
		last := len(args) - 1
		args[last] = build.NewCall(-1, operators.LogicalOr, build.NewIdent(-1, name), args[last])
		g.info.SetMacroCall(id, build.NewMemberCall(-1, operators.All, call.Target(), args...))
	}
	if replace == nil {
		return g.rule.Text, nil
	}
	text, err := parser.Unparse(rule, g.info, parser.WrapOnColumn(math.MaxInt32))
	if err != nil {
		return "", fmt.Errorf("print rule: %w", err)
	}
	return strings.NewReplacer(replace...).Replace(text), nil
}

// unusedName returns a name that the rule does not contain, and that contains no other such name.
func (g *guard) unusedName(n int) string {
	name := fmt.Sprintf("guard_%d_", n)
	for strings.Contains(g.rule.Text, name) {
		name = "x" + name
	}
	return name
}
