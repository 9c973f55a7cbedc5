package migrate

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// call follows a call, and returns the values of its results.
func (f *frame) call(e *ast.CallExpr) []value {
	if tv, ok := f.info.Types[e.Fun]; ok && tv.IsType() && len(e.Args) == 1 {
		return []value{f.eval(e.Args[0])}
	}
	callee := f.callee(e.Fun)
	var args []value
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && f.info.Selections[sel] != nil {
		args = append(args, f.eval(sel.X))
	}
	receivers := len(args)
	for _, a := range e.Args {
		args = append(args, f.eval(a))
	}
	switch c := callee.(type) {
	case *types.Builtin:
		return []value{builtin(c.Name(), e.Ellipsis.IsValid(), args)}
	case *types.Func:
		if keeps(c.Name(), args) {
			return f.restore(e)
		}
		if own, ok := f.functions[c.Origin()]; ok && f.depth < deepest && f.calls < mostCalls {
			return f.enter(own, e.Args, args, receivers)
		}
		if handsOver(c) && len(args) > 0 {
			return []value{args[0]}
		}
	}
	f.recordKeys(e)
	if f.readsAnnotation(args) {
		return f.restore(e)
	}
	f.filled(e.Args, args[receivers:])
	return results(f.info, e, derived(args...))
}

// filled handles calls of functions outside of the module that receive an address of the target:
// what they write there counts as derived from all other arguments.
func (f *frame) filled(exprs []ast.Expr, args []value) {
	for i, e := range exprs {
		at, ok := args[i].only()
		if u, isAddress := ast.Unparen(e).(*ast.UnaryExpr); ok && isAddress && u.Op == token.AND && at.side == target && at.path != "" {
			f.flow(at, derived(slices.Delete(slices.Clone(args), i, i+1)...), e.Pos())
		}
	}
}

func (f *frame) callee(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return f.objectOf(e)
	case *ast.SelectorExpr:
		return f.info.Uses[e.Sel]
	case *ast.IndexExpr:
		return f.callee(e.X)
	}
	return nil
}

// builtin returns the value of a call of a builtin function.
func builtin(name string, spread bool, args []value) value {
	switch name {
	case "append":
		out := args[0]
		for i, v := range args[1:] {
			if !spread || i < len(args)-2 {
				v = listOf(v)
			}
			if r, ok := out.only(); ok && r.side == target {
				out = value{} // the target has what the conversion assigned
			}
			out = either(out, v)
		}
		return out
	case "min", "max":
		return derived(args...)
	}
	return value{}
}

// enter follows a function of the module.
func (f *frame) enter(own function, exprs []ast.Expr, args []value, receivers int) []value {
	f.calls++
	f.depth++
	defer func() { f.depth-- }()
	inner := f.frame(own.info)
	if own.decl.Recv != nil && receivers > 0 {
		inner.bind(own.decl.Recv, args[:1])
		args = args[1:]
	}
	inner.bind(own.decl.Type.Params, args)
	var named []types.Object
	if own.decl.Type.Results != nil {
		for _, r := range own.decl.Type.Results.List {
			for _, name := range r.Names {
				named = append(named, own.info.Defs[name])
			}
		}
	}
	inner.stmt(own.decl.Body)
	f.fill(exprs, args, inner, own)
	for i, o := range named {
		if i < len(inner.results) {
			inner.results[i] = either(inner.results[i], inner.vars[o])
		} else {
			inner.results = append(inner.results, inner.vars[o])
		}
	}
	return inner.results
}

// fill assigns to variables what a function has written to them through its parameters.
func (f *frame) fill(exprs []ast.Expr, args []value, inner *frame, own function) {
	i := 0
	for _, p := range own.decl.Type.Params.List {
		for _, name := range p.Names {
			if i < len(exprs) && i < len(args) && len(args[i].all()) == 0 {
				if v := inner.vars[own.info.Defs[name]]; len(v.all()) > 0 || v.members != nil {
					f.put(exprs[i], v)
				}
			}
			i++
		}
	}
}

// put assigns a value to a variable, or to an element or a member of one.
func (f *frame) put(e ast.Expr, v value) {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		f.put(e.X, v)
	case *ast.Ident:
		if o := f.objectOf(e); o != nil {
			f.give(o, either(f.vars[o], v))
		}
	case *ast.IndexExpr:
		f.grow(e.X, v)
	case *ast.SelectorExpr:
		f.field(e, v)
	}
}

// results returns a value for every result of a call, except for errors.
func results(info *types.Info, e *ast.CallExpr, v value) []value {
	tuple, ok := info.TypeOf(e).(*types.Tuple)
	if !ok {
		return []value{v}
	}
	out := make([]value, tuple.Len())
	for i := range out {
		if !types.Identical(tuple.At(i).Type(), types.Universe.Lookup("error").Type()) {
			out[i] = v
		}
	}
	return out
}

// handsOver reports whether a function outside of the module returns its argument, as a copy or
// behind a pointer.
func handsOver(f *types.Func) bool {
	switch f.Name() {
	case "DeepCopy", "DeepCopyObject", "To", "Deref", "Ptr", "Clone":
		return true
	}
	return strings.HasPrefix(f.Name(), "Pointer")
}

// keeps reports whether a function stores an object in an annotation of another, or reads it from
// there.
func keeps(name string, args []value) bool {
	name = strings.ToLower(name)
	if !strings.Contains(name, "marshal") || len(args) < 2 {
		return false
	}
	for _, v := range args {
		if r, ok := v.only(); ok && r.path == "" {
			return true
		}
	}
	return false
}

// restore assigns what was stored in an annotation to the variables that a call fills.
func (f *frame) restore(e *ast.CallExpr) []value {
	f.recordKeys(e)
	for _, a := range e.Args {
		if id, ok := innermostIdent(a); ok {
			o := f.objectOf(id)
			if v, known := f.vars[o]; o != nil && (!known || len(v.all()) == 0) {
				if _, isVar := o.(*types.Var); isVar {
					f.give(o, exactly(ref{kept, ""}))
				}
			}
		}
	}
	if callee, ok := f.callee(e.Fun).(*types.Func); ok {
		if own, ok := f.functions[callee.Origin()]; ok {
			ast.Inspect(own.decl, func(n ast.Node) bool {
				if e, ok := n.(ast.Expr); ok {
					f.recordKey(own.info, e)
				}
				return true
			})
		}
	}
	return results(f.info, e, value{})
}

func innermostIdent(e ast.Expr) (*ast.Ident, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e, true
	case *ast.UnaryExpr:
		return innermostIdent(e.X)
	}
	return nil, false
}

// readsAnnotation reports whether a value is derived from an annotation.
func (f *frame) readsAnnotation(args []value) bool {
	for _, v := range args {
		for _, r := range v.of(source) {
			if strings.HasPrefix(r.path, "metadata.annotations") {
				return true
			}
		}
	}
	return false
}

// recordKeys records the keys of annotations among the arguments of a call.
func (f *frame) recordKeys(e *ast.CallExpr) {
	for _, a := range e.Args {
		ast.Inspect(a, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				f.recordKey(f.info, e)
			}
			return true
		})
	}
}

// recordKey records a constant that looks like the key of an annotation: a domain, a slash and a
// name.
func (f *frame) recordKey(info *types.Info, e ast.Expr) {
	tv, ok := info.Types[e]
	if !ok || tv.Value == nil || tv.Value.Kind() != constant.String {
		return
	}
	domain, name, ok := strings.Cut(constant.StringVal(tv.Value), "/")
	if ok && name != "" && strings.Contains(domain, ".") && !strings.ContainsAny(domain+name, " :") && !strings.Contains(name, "/") {
		f.keys[constant.StringVal(tv.Value)] = true
	}
}
