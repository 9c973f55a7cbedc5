package migrate

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// walker follows values through the body of one conversion.
type walker struct {
	*reader
	up    bool
	flows []Flow
	hub   string // the package of the hub's type
	depth int
	calls int // how many calls were followed
}

// frame is the state of a function: what its variables contain, and what it returns.
type frame struct {
	*walker
	info    *types.Info
	vars    map[types.Object]value
	own     map[types.Object]bool // variables whose members are not shared with another value
	results []value
}

// deepest is the maximum nesting of calls that are followed, and mostCalls their maximum number.
// Without these, functions that call several others would make the number grow without bounds.
const (
	deepest   = 12
	mostCalls = 100_000
)

// method follows ConvertTo or ConvertFrom. The receiver is a version's object, and the parameter
// the hub's.
func (w *walker) method(f function) {
	receiver, hub := exactly(ref{source, ""}), exactly(ref{target, ""})
	if !w.up {
		receiver, hub = hub, receiver
	}
	at := w.frame(f.info)
	at.bind(f.decl.Recv, []value{receiver})
	at.bind(f.decl.Type.Params, []value{hub})
	at.stmt(f.decl.Body)
}

func (w *walker) frame(info *types.Info) *frame {
	return &frame{walker: w, info: info, vars: map[types.Object]value{}, own: map[types.Object]bool{}}
}

// give assigns a value to a variable.
func (f *frame) give(o types.Object, v value) {
	delete(f.own, o)
	f.vars[o] = v
}

// bind assigns values to parameters.
func (f *frame) bind(params *ast.FieldList, values []value) {
	i := 0
	if params == nil {
		return
	}
	for _, p := range params.List {
		for _, name := range p.Names {
			if i < len(values) {
				f.give(f.info.Defs[name], values[i])
			}
			i++
		}
		if len(p.Names) == 0 {
			i++
		}
	}
}

func (f *frame) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		for _, inner := range s.List {
			f.stmt(inner)
		}
	case *ast.AssignStmt:
		f.assign(s)
	case *ast.DeclStmt:
		f.declare(s)
	case *ast.ExprStmt:
		f.eval(s.X)
	case *ast.IfStmt:
		f.optional(s.Init)
		f.eval(s.Cond)
		f.stmt(s.Body)
		f.optional(s.Else)
	case *ast.ForStmt:
		f.optional(s.Init)
		f.stmt(s.Body)
	case *ast.RangeStmt:
		f.loop(s)
	case *ast.SwitchStmt:
		f.optional(s.Init)
		f.stmt(s.Body)
	case *ast.TypeSwitchStmt:
		f.optional(s.Assign)
		f.stmt(s.Body)
	case *ast.CaseClause:
		for _, inner := range s.Body {
			f.stmt(inner)
		}
	case *ast.ReturnStmt:
		f.returns(s)
	case *ast.DeferStmt:
		f.eval(s.Call)
	}
}

func (f *frame) optional(s ast.Stmt) {
	if s != nil {
		f.stmt(s)
	}
}

func (f *frame) declare(s *ast.DeclStmt) {
	g, ok := s.Decl.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range g.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok {
			for i, name := range v.Names {
				if i < len(v.Values) {
					f.give(f.info.Defs[name], f.eval(v.Values[i]))
				}
			}
		}
	}
}

func (f *frame) loop(s *ast.RangeStmt) {
	over := f.eval(s.X)
	elem := derived(over)
	if r, ok := over.only(); ok {
		elem = exactly(r.within("[]"))
	}
	if id, ok := s.Value.(*ast.Ident); ok {
		f.give(f.objectOf(id), elem)
	}
	f.stmt(s.Body)
}

func (f *frame) objectOf(id *ast.Ident) types.Object {
	if o := f.info.Defs[id]; o != nil {
		return o
	}
	return f.info.Uses[id]
}

func (f *frame) returns(s *ast.ReturnStmt) {
	var values []value
	if len(s.Results) == 1 {
		if call, ok := s.Results[0].(*ast.CallExpr); ok {
			values = f.call(call)
		}
	}
	if values == nil {
		for _, r := range s.Results {
			values = append(values, f.eval(r))
		}
	}
	for i, v := range values {
		if i == len(f.results) {
			f.results = append(f.results, v)
		} else {
			f.results[i] = either(f.results[i], v)
		}
	}
}

// either returns a value that may be one of two.
func either(a, b value) value {
	switch {
	case len(a.all()) == 0 && !a.constant && a.members == nil:
		return b
	case len(b.all()) == 0 && !b.constant && b.members == nil:
		return a
	case a.members != nil && b.members != nil:
		out := maps.Clone(a.members)
		for name, m := range b.members {
			out[name] = either(out[name], m)
		}
		return value{members: out}
	}
	if x, ok := a.only(); ok {
		if y, ok := b.only(); ok && x == y {
			return a
		}
	}
	return derived(a, b)
}

func (f *frame) assign(s *ast.AssignStmt) {
	var values []value
	if len(s.Rhs) == 1 && len(s.Lhs) > 1 {
		if call, ok := s.Rhs[0].(*ast.CallExpr); ok {
			values = f.call(call)
		} else {
			values = []value{f.eval(s.Rhs[0])} // from a map, a channel or an assertion
		}
	} else {
		for _, r := range s.Rhs {
			values = append(values, f.eval(r))
		}
	}
	for i, lhs := range s.Lhs {
		v := value{}
		if i < len(values) {
			v = values[i]
		}
		f.set(lhs, v)
	}
}

// set assigns a value to a variable or a property.
func (f *frame) set(lhs ast.Expr, v value) {
	if id, ok := lhs.(*ast.Ident); ok {
		if o := f.objectOf(id); o != nil && id.Name != "_" {
			f.give(o, either(v, value{}))
		}
		return
	}
	if !f.isMember(lhs) {
		if at, ok := f.eval(lhs).only(); ok && at.side == target {
			f.flow(at, v, lhs.Pos())
			return
		}
	}
	f.field(lhs, v)
}

// isMember reports whether an expression is a member of a struct whose members a variable tracks
// separately.
func (f *frame) isMember(e ast.Expr) bool {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := ast.Unparen(sel.X).(*ast.Ident)
	return ok && f.vars[f.objectOf(id)].members != nil
}

// field assigns a value to a member of a struct in a variable.
func (f *frame) field(lhs ast.Expr, v value) {
	sel, ok := ast.Unparen(lhs).(*ast.SelectorExpr)
	if !ok {
		if index, ok := ast.Unparen(lhs).(*ast.IndexExpr); ok {
			f.grow(index.X, v)
		}
		return
	}
	s := f.info.Selections[sel]
	id, isVar := ast.Unparen(sel.X).(*ast.Ident)
	if s == nil || !isVar {
		return
	}
	name, ok := selected(s)
	o := f.objectOf(id)
	if !ok || o == nil || strings.Contains(name, ".") {
		return
	}
	had := f.vars[o]
	if len(had.refs) > 0 {
		f.give(o, derived(had, v))
		return
	}
	members := had.members
	if !f.own[o] || members == nil {
		members = maps.Clone(members)
		f.own[o] = true
	}
	if members == nil {
		members = map[string]value{}
	}
	members[name] = either(members[name], v)
	f.vars[o] = value{members: members}
}

// grow adds an element to a list or map in a variable or a property.
func (f *frame) grow(list ast.Expr, v value) {
	if at, ok := f.eval(list).only(); ok && at.side == target {
		f.flow(at.within("[]"), v, list.Pos())
		return
	}
	if id, ok := ast.Unparen(list).(*ast.Ident); ok && f.objectOf(id) != nil {
		f.give(f.objectOf(id), either(f.vars[f.objectOf(id)], listOf(v)))
	}
}

// listOf returns a list of a value.
func listOf(v value) value {
	if r, ok := v.only(); ok && strings.HasSuffix(r.path, "[]") {
		return exactly(ref{r.side, strings.TrimSuffix(r.path, "[]")})
	}
	return value{members: map[string]value{"[]": v}}
}

// flow records that a property of the target is derived from a value.
func (f *frame) flow(to ref, v value, at token.Pos) {
	if v.members != nil {
		for _, name := range slices.Sorted(maps.Keys(v.members)) {
			f.flow(to.within(name), v.members[name], at)
		}
		return
	}
	out := Flow{Up: f.up, To: to.path, Pos: f.fset.Position(at), Constant: v.constant && len(v.refs) == 0}
	for _, r := range v.of(source) {
		out.From = append(out.From, r.path)
	}
	out.Kept = len(v.of(kept)) > 0
	if r, ok := v.only(); ok && r.side == source {
		out.Exact = true
	}
	if len(out.From) == 0 && !out.Constant && !out.Kept {
		return // a zero value
	}
	slices.Sort(out.From)
	f.flows = append(f.flows, out)
}

func (f *frame) eval(e ast.Expr) value {
	if tv, ok := f.info.Types[e]; ok && tv.Value != nil {
		return value{constant: !isZero(tv.Value)}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.eval(e.X)
	case *ast.StarExpr:
		return f.eval(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return f.eval(e.X)
		}
		return derived(f.eval(e.X))
	case *ast.TypeAssertExpr:
		return f.assertion(e)
	case *ast.Ident:
		delete(f.own, f.objectOf(e))
		return f.vars[f.objectOf(e)]
	case *ast.SelectorExpr:
		return f.selector(e)
	case *ast.IndexExpr:
		of := f.eval(e.X)
		if r, ok := of.only(); ok && strings.HasPrefix(r.path, "metadata.annotations") {
			f.recordKey(f.info, e.Index)
		}
		return f.element(of, f.eval(e.Index))
	case *ast.SliceExpr:
		return f.eval(e.X)
	case *ast.BinaryExpr:
		return derived(f.eval(e.X), f.eval(e.Y))
	case *ast.CompositeLit:
		return f.literal(e)
	case *ast.CallExpr:
		if values := f.call(e); len(values) > 0 {
			return values[0]
		}
	}
	return value{}
}

func isZero(v constant.Value) bool {
	switch v.Kind() {
	case constant.String:
		return constant.StringVal(v) == ""
	case constant.Bool:
		return !constant.BoolVal(v)
	case constant.Int, constant.Float:
		return constant.Sign(v) == 0
	}
	return false
}

// assertion determines the type of the hub.
func (f *frame) assertion(e *ast.TypeAssertExpr) value {
	v := f.eval(e.X)
	if r, ok := v.only(); ok && r.path == "" && e.Type != nil {
		if p, ok := f.info.TypeOf(e.Type).(*types.Pointer); ok {
			if n, ok := p.Elem().(*types.Named); ok && n.Obj().Pkg() != nil {
				f.hub = n.Obj().Pkg().Path()
			}
		}
	}
	return v
}

func (f *frame) selector(e *ast.SelectorExpr) value {
	s := f.info.Selections[e]
	if s == nil || s.Kind() != types.FieldVal {
		return value{constant: s == nil && f.info.Uses[e.Sel] != nil} // a variable of a package
	}
	var v value
	if id, isVar := ast.Unparen(e.X).(*ast.Ident); isVar {
		v = f.vars[f.objectOf(id)] // only one member of it is shared
	} else {
		v = f.eval(e.X)
	}
	name, ok := selected(s)
	if !ok {
		return derived(v)
	}
	if r, ok := v.only(); ok {
		return exactly(r.within(name))
	}
	if m, ok := v.members[name]; ok {
		return m
	}
	return derived(v)
}

func (f *frame) element(of, index value) value {
	if r, ok := of.only(); ok {
		return exactly(r.within("[]"))
	}
	if m, ok := of.members["[]"]; ok {
		return m
	}
	return derived(of, index)
}

func (f *frame) literal(e *ast.CompositeLit) value {
	t := f.info.TypeOf(e)
	members := map[string]value{}
	for i, element := range e.Elts {
		name, ok, inner := "[]", true, element
		if kv, isPair := element.(*ast.KeyValueExpr); isPair {
			inner = kv.Value
			if id, isName := kv.Key.(*ast.Ident); isName {
				if field, isField := f.fieldName(t, id.Name); isField {
					name = field
				}
			}
		} else if s, isStruct := t.Underlying().(*types.Struct); isStruct && i < s.NumFields() {
			name, ok = f.fieldName(t, s.Field(i).Name())
		}
		if ok {
			members[name] = either(members[name], f.eval(inner))
		}
	}
	if len(members) == 0 {
		return value{}
	}
	if v, ok := members["[]"]; ok && len(members) == 1 {
		return listOf(v)
	}
	return value{members: members}
}
