package convert

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// tryAppend converts an object, and reports whether the plan does.
func tryAppend(c *Converter, dst, object []byte) ([]byte, bool) {
	out, why := c.Append(context.Background(), dst, object)
	return out, why == Converted
}

// TestEveryReasonIsGiven collects the reasons of refusals. The tables of other tests have most.
func TestEveryReasonIsGiven(t *testing.T) {
	up, down := gadgetWays(t)
	seen := map[Refusal]bool{}
	try := func(ctx context.Context, c *Converter, object string, depth int) {
		_, _, why := c.AppendFirst(ctx, nil, []byte(object), depth)
		seen[why] = true
	}
	for _, test := range gadgets {
		seen[test.refusal] = true
	}
	for _, test := range planRefusals {
		seen[test.want] = true
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	object := gadgetHead + `,"spec":{}}`
	try(t.Context(), nil, object, jsontext.MaxDepth)
	try(t.Context(), up, object[:len(object)-1], jsontext.MaxDepth)
	try(t.Context(), up, object, 2)
	try(done, up, object, jsontext.MaxDepth)
	try(t.Context(), down, hubWith(`"free":"`+strings.Repeat("x", 1<<20)+`","$propertyBag":{"k":1}`), jsontext.MaxDepth)
	names := map[string]bool{}
	for _, why := range Refusals() {
		if !seen[why] {
			t.Errorf("nothing is refused for the reason %s", why)
		}
		if why.String() == "" || names[why.String()] {
			t.Errorf("the reason %d has the name %q", why, why)
		}
		names[why.String()] = true
	}
}

// TestRefusalsOfText checks the reasons where text is damaged or cut off, and where it is not.
func TestRefusalsOfText(t *testing.T) {
	up, _ := gadgetWays(t)
	for _, test := range []struct {
		reason, text string
		depth        int
		want         Refusal
	}{
		{"nothing", ``, 100, Incomplete},
		{"white space", ` `, 100, Incomplete},
		{"no object", `7 `, 100, WrongType},
		{"cut in a name", gadgetHead + `,"sp`, 100, Incomplete},
		{"cut in an escape", gadgetHead + `,"spec":{"size":"\u00`, 100, Incomplete},
		{"cut in the escape of a name", gadgetHead + `,"spec":{"\u00`, 100, Incomplete},
		{"cut in a number", gadgetHead + `,"spec":{"count":1`, 100, Incomplete},
		{"cut in a number that is not one yet", gadgetHead + `,"spec":{"main":{"ratio":1e`, 100, Incomplete},
		{"cut in a word", gadgetHead + `,"spec":{"main":{"on":tr`, 100, Incomplete},
		{"cut in free JSON", gadgetHead + `,"spec":{"free":[[1,2`, 100, Incomplete},
		{"cut behind a wrong type", gadgetHead + `,"spec":{"size":7,`, 100, WrongType},
		{"cut behind an unknown member", gadgetHead + `,"spec":{"colour":`, 100, UnknownMember},
		{"no word", gadgetHead + `,"spec":{"main":{"on":tru,`, 100, NotJSON},
		{"a control character", gadgetHead + `,"spec":{"size":"` + "\x01" + `"}}`, 100, NotJSON},
		{"no escape", gadgetHead + `,"spec":{"size":"\x0000"}}`, 100, NotJSON},
		{"no UTF-8", gadgetHead + `,"spec":{"size":"` + "\xff" + `"}}`, 100, NotJSON},
		{"no colon", gadgetHead + `,"spec" {}}`, 100, NotJSON},
		{"no comma", gadgetHead + `,"spec":{"size":"s" "count":1}}`, 100, NotJSON},
		{"free JSON that is none", gadgetHead + `,"spec":{"free":[1 2]}}`, 100, NotJSON},
		{"too deep in free JSON", gadgetHead + `,"spec":{"free":[[[[1]]]]}}`, 5, TooDeep},
		{"as deep as allowed", gadgetHead + `,"spec":{"free":[[[1]]]}}`, 6, Converted},
		{"a time that is a number", gadgetHead + `,"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":7}]}}`, 100, WrongType},
	} {
		out, length, why := up.AppendFirst(t.Context(), []byte("before"), []byte(test.text), test.depth)
		if why != test.want || (length > 0) != (why == Converted) || length == 0 && string(out) != "before" {
			t.Errorf("%s: %s, want %s: %s", test.reason, why, test.want, out)
		}
	}
	if _, why := up.Append(t.Context(), nil, []byte(gadgetHead)); why != NotJSON {
		t.Errorf("half an object is refused as %s", why)
	}
}

// TestFirstBagOfPlainValues checks that a value is converted, in which a property bag comes late.
func TestFirstBagOfPlainValues(t *testing.T) {
	_, down := gadgetWays(t)
	bagged := hubWith(`"parts":[{"on":true,"inner":{"weight":1}},{"inner":{"on":true,"$propertyBag":{"k":1}}},{"$propertyBag":{"l":2}}],"spares":{"a":{}}`)
	out, why := down.Append(t.Context(), nil, []byte(bagged))
	if why != Converted {
		t.Fatal(why)
	}
	checkSame(t, "bags within", []byte(bagged), out, gadgetDown)
	wrong := strings.Replace(bagged, `"spares":{"a":{}}`, `"spares":{"a":{"`+fixtures.Group+`":1}}`, 1)
	if _, why := down.Append(t.Context(), nil, []byte(wrong)); why != UnknownMember {
		t.Error(why)
	}
}

// observers are the methods that only inspect a value, and refuse nothing.
var observers = []string{"skipTruth", "skipInteger", "skipFloat", "isCut", "keeps", "makesOriginal", "expected"}

// TestEveryRefusalHasReason reads the methods that refuse objects with false. Each of their
// results is true, or comes from a method that records the reason.
func TestEveryRefusalHasReason(t *testing.T) {
	refusing := refusingMethods(t)
	if len(refusing) < 40 {
		t.Fatalf("found %d methods", len(refusing))
	}
	for name, all := range refusing {
		for _, f := range all {
			if name != "refuse" {
				checkReasons(t, refusing, f)
			}
		}
	}
}

// checkReasons checks the results of one method.
func checkReasons(t *testing.T, refusing map[string][]*ast.FuncDecl, f *ast.FuncDecl) {
	t.Helper()
	s := sitesOf{refusing: refusing}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			s.assign(n)
		case *ast.IfStmt:
			s.guard(n)
		case *ast.CallExpr:
			s.call(n)
		case *ast.FuncLit:
			return s.passed[n]
		}
		return true
	})
	ast.Inspect(f.Body, func(n ast.Node) bool {
		r, ok := n.(*ast.ReturnStmt)
		if ok && len(r.Results) > 0 && !s.guarded[r] && !s.hasReason(r.Results[len(r.Results)-1]) {
			t.Errorf("%s refuses without a reason at %v", f.Name.Name, positions.Position(r.Pos()))
		}
		function, isFunction := n.(*ast.FuncLit)
		return !isFunction || s.passed[function]
	})
}

var positions = token.NewFileSet()

// refusingMethods returns the methods of this package that refuse objects with false.
func refusingMethods(t *testing.T) map[string][]*ast.FuncDecl {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string][]*ast.FuncDecl{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(positions, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && slices.Contains([]string{"reader", "metaReader", "edit", "run", "direction"}, receiver(f)) && givesBool(f) && !slices.Contains(observers, f.Name.Name) {
				methods[f.Name.Name] = append(methods[f.Name.Name], f)
			}
		}
	}
	return methods
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	return of.(*ast.Ident).Name
}

func givesBool(f *ast.FuncDecl) bool {
	if f.Type.Results == nil {
		return false
	}
	last := f.Type.Results.List[len(f.Type.Results.List)-1]
	name, ok := last.Type.(*ast.Ident)
	return ok && name.Name == "bool"
}

// sitesOf are the statements of one method that may refuse.
type sitesOf struct {
	refusing map[string][]*ast.FuncDecl
	// reasoned are variables that are false only where a reason was recorded.
	reasoned map[string]bool
	// guarded are returns where a method that records the reason has refused.
	guarded map[*ast.ReturnStmt]bool
	// passed are functions that are arguments of such methods.
	passed map[*ast.FuncLit]bool
}

func (s *sitesOf) call(c *ast.CallExpr) {
	if !s.hasReason(c) {
		return
	}
	for _, argument := range c.Args {
		if function, ok := argument.(*ast.FuncLit); ok {
			if s.passed == nil {
				s.passed = map[*ast.FuncLit]bool{}
			}
			s.passed[function] = true
		}
	}
}

func (s *sitesOf) assign(a *ast.AssignStmt) {
	to, ok := a.Lhs[len(a.Lhs)-1].(*ast.Ident)
	if !ok || len(a.Rhs) != 1 {
		return
	}
	if s.reasoned == nil {
		s.reasoned = map[string]bool{}
	}
	before, isKnown := s.reasoned[to.Name]
	s.reasoned[to.Name] = s.hasReason(a.Rhs[0]) && (before || !isKnown)
}

func (s *sitesOf) guard(i *ast.IfStmt) {
	if init, ok := i.Init.(*ast.AssignStmt); ok {
		s.assign(init)
	}
	if !s.refuses(i.Cond) {
		return
	}
	if s.guarded == nil {
		s.guarded = map[*ast.ReturnStmt]bool{}
	}
	for _, statement := range i.Body.List {
		if r, ok := statement.(*ast.ReturnStmt); ok {
			s.guarded[r] = true
		}
	}
}

// refuses reports whether a condition is true only after a reason was recorded.
func (s *sitesOf) refuses(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return e.Op == token.NOT && s.hasReason(e.X)
	case *ast.BinaryExpr:
		return e.Op == token.LOR && s.refuses(e.X) && s.refuses(e.Y) || e.Op == token.LAND && s.refuses(e.Y)
	}
	return false
}

// hasReason reports whether an expression is false only where a reason was recorded.
func (s *sitesOf) hasReason(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "true" || s.reasoned[e.Name]
	case *ast.CallExpr:
		if argument, ok := e.Fun.(*ast.Ident); ok { // a function that a caller passed
			return argument.Name == "next"
		}
		method, ok := e.Fun.(*ast.SelectorExpr)
		return ok && s.refusing[method.Sel.Name] != nil
	case *ast.BinaryExpr:
		return e.Op == token.LAND && s.hasReason(e.X) && s.hasReason(e.Y) || e.Op == token.LOR && s.hasReason(e.Y)
	}
	return false
}

// TestLargeObjectsThatHideAreRefusedEarly checks that a plan does not convert the rest of an object
// after it has found that Go types must convert it.
func TestLargeObjectsThatHideAreRefusedEarly(t *testing.T) {
	_, down := gadgetWays(t)
	values := strings.Repeat(`{"on":true},`, 1<<20)
	object := hubWith(`"free":"` + strings.Repeat("x", 1<<20) + `","main":{"$propertyBag":{"k":1}},"parts":[` + values + `{}]`)
	ctx := &weary{t.Context(), 3}
	if _, why := down.Append(ctx, nil, []byte(object)); why != TooLarge {
		t.Errorf("refused as %s", why)
	}
}
