package mutation

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// rewriter puts the mutants of one file behind switches. The lines of the file stay where they are.
type rewriter struct {
	path  string
	text  []byte
	file  *token.File
	info  *types.Info
	sites []site        // in the order of the file, an outer one before those within
	left  map[Name]bool // mutants that stay out
}

// site is an operator with its mutants.
type site struct {
	node     ast.Node
	operator int // the offset
	mutants  []Mutant
	function *ast.FuncDecl
}

// form is the text before a site, in place of its operator, and after it.
type form struct{ before, operator, behind string }

// edit is a replacement of a part of the text.
type edit struct {
	at, length int
	text       string
	order      int // among edits at one place
}

// collect finds the sites of mutants, which are given by the offset of their operator. What cannot
// compile is added to never.
func (r *rewriter) collect(tree *ast.File, mutants map[int][]Mutant, never map[Name]bool) {
	var function *ast.FuncDecl
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		if f, ok := n.(*ast.FuncDecl); ok {
			function = f
		} else if _, ok := n.(ast.Decl); ok && function != nil && n.Pos() >= function.End() {
			function = nil
		}
		if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
			return false // must stay constant
		}
		if e, ok := n.(ast.Expr); ok && r.info.Types[e].IsType() {
			return false // as in a constraint, or in the length of an array
		}
		if at := operatorOf(n); at.IsValid() {
			offset := r.file.Offset(at)
			r.add(site{node: n, operator: offset, function: function}, mutants[offset], never)
		}
		return true
	})
}

func (r *rewriter) add(s site, mutants []Mutant, never map[Name]bool) {
	for _, m := range mutants {
		if r.isText(s.node) && m.is != "=" && m.was[0] == '+' {
			never[m.Name] = true // as strings have + only
			continue
		}
		s.mutants = append(s.mutants, m)
	}
	if len(s.mutants) > 0 {
		r.sites = append(r.sites, s)
	}
}

// operatorOf is the place of the operator of an expression or statement.
func operatorOf(n ast.Node) token.Pos {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return n.OpPos
	case *ast.UnaryExpr:
		return n.OpPos
	case *ast.IncDecStmt:
		return n.TokPos
	case *ast.AssignStmt:
		return n.TokPos
	case *ast.BranchStmt:
		return n.TokPos
	}
	return token.NoPos
}

// rewrite is the text with switches. It numbers their mutants.
func (r *rewriter) rewrite(numbers map[Name]int) []byte {
	var edits []edit
	for i, s := range r.sites {
		var on []choice
		for _, m := range s.mutants {
			if !r.left[m.Name] {
				on = append(on, choice{len(numbers) + 1 + len(on), m})
			}
		}
		f, ok := r.form(s.node, on)
		if len(on) == 0 || !ok {
			continue
		}
		for _, c := range on {
			numbers[c.mutant.Name] = c.number
		}
		edits = append(edits,
			edit{at: r.file.Offset(s.node.Pos()), text: f.before, order: i + 1},
			edit{at: s.operator, length: len(on[0].mutant.was), text: f.operator, order: i + 1},
			edit{at: r.file.Offset(s.node.End()), text: f.behind, order: -i - 1})
	}
	return apply(r.text, edits)
}

// apply makes replacements that do not overlap. At one position, the text after an inner site
// comes first, and the text before an inner site last.
func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order))
	})
	var b bytes.Buffer
	from := 0
	for _, e := range edits {
		b.Write(text[from:e.at])
		b.WriteString(e.text)
		from = e.at + e.length
	}
	b.Write(text[from:])
	return b.Bytes()
}

// choice is a mutant with its number.
type choice struct {
	number int
	mutant Mutant
}

// form writes a site with switches, where it can be.
func (r *rewriter) form(n ast.Node, on []choice) (form, bool) {
	if len(on) == 0 || len(on) > 2 {
		return form{}, false
	}
	first := fmt.Sprintf("mutantIs(%d)", on[0].number)
	was := on[0].mutant.was
	switch n := n.(type) {
	case *ast.BinaryExpr:
		switch n.Op {
		case token.LAND, token.LOR: // as ¬(¬a ∧ ¬b) is a ∨ b
			s := ") != " + first
			return form{"(((", s + " " + was + " (", s + ")" + " != " + first + ")"}, true
		case token.EQL, token.NEQ:
			return form{"((", was, ") != " + first + ")"}, true
		}
		name, ok := functionOf[n.Op]
		return form{name + r.typeOf(n) + arguments(on), ",", ")"}, ok
	case *ast.UnaryExpr:
		return form{"", fmt.Sprintf("mutantMinus%s(%d, ", r.typeOf(n), on[0].number), ")"}, n.Op == token.SUB
	case *ast.IncDecStmt:
		return form{"mutantStep" + arguments(on) + "&(", "))", ""}, !r.isEntry(n.X)
	case *ast.AssignStmt:
		name, ok := functionOf[n.Tok]
		if r.isText(n) {
			name = "mutantJoinTo"
		}
		return form{name + arguments(on) + "&(", "), ", ")"}, ok && !r.isEntry(n.Lhs[0])
	case *ast.BranchStmt:
		other := on[0].mutant.is
		if n.Label != nil {
			other += " " + n.Label.Name
		}
		return form{"if " + first + " { " + other + " } else { ", was, " }"}, true
	}
	return form{}, false
}

// functionOf maps an operator to its function in switches.go.txt.
var functionOf = map[token.Token]string{
	token.LSS: "mutantCompare", token.LEQ: "mutantCompare", token.GTR: "mutantCompare", token.GEQ: "mutantCompare",
	token.ADD: "mutantReckon", token.SUB: "mutantReckon", token.MUL: "mutantReckon", token.QUO: "mutantReckon",
	token.REM: "mutantBits", token.AND: "mutantBits", token.OR: "mutantBits", token.XOR: "mutantBits", token.AND_NOT: "mutantBits",
	token.SHL: "mutantShift", token.SHR: "mutantShift",
	token.ADD_ASSIGN: "mutantReckonTo", token.SUB_ASSIGN: "mutantReckonTo", token.MUL_ASSIGN: "mutantReckonTo", token.QUO_ASSIGN: "mutantReckonTo",
	token.REM_ASSIGN: "mutantBitsTo", token.AND_ASSIGN: "mutantBitsTo", token.OR_ASSIGN: "mutantBitsTo", token.XOR_ASSIGN: "mutantBitsTo",
	token.AND_NOT_ASSIGN: "mutantBitsTo",
	token.SHL_ASSIGN:     "mutantShiftTo", token.SHR_ASSIGN: "mutantShiftTo",
}

// arguments are the first ones of such a function.
func arguments(on []choice) string {
	second := choice{}
	if len(on) == 2 {
		second = on[1]
	}
	return fmt.Sprintf("(%q, %d, %q, %d, %q, ", on[0].mutant.was, on[0].number, on[0].mutant.is, second.number, second.mutant.is)
}

// typeOf returns the type of a constant or of a shift. As an argument of a function its type
// cannot always be inferred from the operands.
func (r *rewriter) typeOf(e ast.Expr) string {
	value := r.info.Types[e]
	binary, _ := e.(*ast.BinaryExpr)
	isShift := binary != nil && (binary.Op == token.SHL || binary.Op == token.SHR)
	basic, ok := value.Type.(*types.Basic)
	if value.Value == nil && !isShift || !ok || basic.Info()&(types.IsUntyped|types.IsBoolean) != 0 {
		return ""
	}
	return "[" + basic.Name() + "]"
}

// isEntry reports whether an expression is an entry of a map, which has no address.
func (r *rewriter) isEntry(e ast.Expr) bool {
	index, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok {
		return false
	}
	_, ok = r.info.TypeOf(index.X).Underlying().(*types.Map)
	return ok
}

// isText reports whether a site joins strings.
func (r *rewriter) isText(n ast.Node) bool {
	var t types.Type
	switch n := n.(type) {
	case *ast.BinaryExpr:
		t = r.info.TypeOf(n)
	case *ast.AssignStmt:
		t = r.info.TypeOf(n.Lhs[0])
	}
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// leaveOut takes out the mutants of a line or else, since the lack of a return is an error of the
// last line, what changes loops in the function around it, or all that is in the function. It
// counts them.
func (r *rewriter) leaveOut(line int) int {
	isOn := func(n ast.Node) bool { return r.file.Line(n.Pos()) <= line && line <= r.file.Line(n.End()) }
	within := func(s site) bool { return s.function != nil && isOn(s.function) }
	for _, isMeant := range []func(site) bool{
		func(s site) bool { return isOn(s.node) },
		func(s site) bool { _, ok := s.node.(*ast.BranchStmt); return ok && within(s) },
		within,
	} {
		left := 0
		for _, s := range r.sites {
			if isMeant(s) {
				left += r.leave(s.mutants)
			}
		}
		if left > 0 {
			return left
		}
	}
	return 0
}

func (r *rewriter) leave(mutants []Mutant) int {
	left := 0
	for _, m := range mutants {
		if !r.left[m.Name] {
			r.left[m.Name] = true
			left++
		}
	}
	return left
}
