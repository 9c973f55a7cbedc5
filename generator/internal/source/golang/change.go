package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"

	"github.com/stratakube/strata/generator/internal/diag"
)

// checkTypes reports changes with too few or too many arguments, and resolves the types that they
// name. Defaults and functions have these types.
func (r *reader) checkTypes(u *unit, h *history) {
	for _, c := range h.changes {
		switch {
		case c.fromName == "" && c.fromText == "" && c.movedFrom == "" && len(c.declared) == 0:
			r.errorf(c.markerUse.pos, "set `fromName=...` or `fromType=...`", "%s has a change without an earlier name or type", h.name)
		case h.constant && c.fromText != "":
			r.errorf(c.markerUse.at("fromType"), "a constant can change only its value: `fromName=...`", "a constant has no type of its own")
			continue
		}
		if c.fromText != "" {
			r.fromType(u, h, c)
		}
	}
}

// checkChanges resolves the functions of changes, and reports those that do not fit.
func (r *reader) checkChanges(u *unit, h *history) {
	for i, c := range h.changes {
		r.checkRename(h, i)
		switch {
		case c.movedFrom != "":
			r.checkMove(h, c)
			continue
		case len(c.declared) > 0:
			r.checkDeclaredChange(h, c)
			continue
		}
		r.checkFunctions(u, h, c)
	}
	if len(h.added) > 0 && len(h.changes) > 0 {
		r.checkSequence(h.added[0].fill, h.changes[0].up)
	}
	for i := range len(h.changes) - 1 {
		r.checkSequence(h.changes[i].up, h.changes[i+1].up)
		r.checkSequence(h.changes[i+1].down, h.changes[i].down)
	}
}

// checkSequence reports functions of two changes of one field that cannot be called one after the
// other. A conversion that skips a version does that.
func (r *reader) checkSequence(first, second *function) {
	if first == nil || second == nil || first.object == nil || second.object == nil {
		return
	}
	gives, takes := first.object.Signature().Results().At(0).Type(), second.object.Signature().Params().At(0).Type()
	if !types.Identical(gives, takes) {
		r.errorf(second.pos, "let one take what the other returns: a pointer, or the type that it points to",
			"%s cannot follow %s, which gives %s", second.name, first.name, gives)
	}
}

func (r *reader) checkRename(h *history, i int) {
	c, after := h.changes[i], h.wireAt(h.changes[i].since.index)
	if c.fromName != "" && c.fromName == after {
		r.errorf(c.markerUse.at("fromName"), "fromName is the name in JSON that it had before", "%s is renamed to itself", h.name)
	}
}

// fromType finds the type that a change names, in the file of the field.
func (r *reader) fromType(u *unit, h *history, c *change) {
	at := c.markerUse.at("fromType")
	expr, err := parser.ParseExpr(c.fromText)
	if err != nil {
		r.errorf(at, "such as `string`, or `[]string` in quotes", "%q is not a type", c.fromText)
		return
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	err = types.CheckExpr(r.fset, h.home.Types, h.pos, expr, info)
	if err != nil || !info.Types[expr].IsType() {
		r.errorf(at, "types of this package, and of those that the file imports, are known", "%q is not a type", c.fromText)
		return
	}
	c.fromType = info.Types[expr].Type
	r.adopt(u, c.fromType)
}

// typeSince returns the type of a field since a version.
func (h *history) typeSince(version since) types.Type {
	for _, c := range h.changes {
		if c.fromType != nil && c.since.compare(version) > 0 {
			return c.fromType
		}
	}
	return h.of
}

// checkFunctions reports functions that have nothing to convert, and changes that lack a function.
// A direction in which values convert by themselves needs none.
func (r *reader) checkFunctions(u *unit, h *history, c *change) {
	functions := slices.DeleteFunc([]*function{c.up, c.down}, func(f *function) bool { return f == nil })
	if c.fromText == "" || h.constant {
		for _, f := range functions {
			r.errorf(f.pos, "remove it, or set `fromType=...`", "%s converts nothing: the type does not change", f.name)
		}
		return
	}
	if c.fromType == nil {
		return
	}
	to := h.typeSince(c.since)
	if types.Identical(c.fromType, to) && len(functions) == 0 {
		r.errorf(c.markerUse.at("fromType"), "fromType is the type that it had before", "%s changes from %s to itself", h.name, c.fromText)
		return
	}
	r.checkDirection(u, c, c.up, "upgradeWith", c.fromType, to)
	switch {
	case c.narrows:
		r.checkNarrows(u, c, to)
	case c.down != nil || !truncates(to, c.fromType):
		r.checkDirection(u, c, c.down, "downgradeWith", to, c.fromType)
	}
}

// checkNarrows reports a change that explicitly has no downgrade function and needs one. Only
// numbers have the same form in JSON, whatever their range is.
func (r *reader) checkNarrows(u *unit, c *change, to types.Type) {
	switch at := c.markerUse.at("downgradeWith"); {
	case !haveSameForm(to, c.fromType) || converts(to, c.fromType) || c.up != nil:
		r.errorf(at, "remove it, or name a function", "`downgradeWith=none` is for integers and numbers of a larger type only")
	default:
		r.reported.Add(diag.Warnf(r.at(at), "clients of versions before %s cannot read values that %s does not have", c.since.name, r.name(u, c.fromType)))
	}
}

// checkDirection reports a function that does not fit, or the lack of one where values do not
// convert without it.
func (r *reader) checkDirection(u *unit, c *change, f *function, argument string, from, to types.Type) {
	switch {
	case f != nil:
		r.resolve(u, f, from, to)
	case !converts(from, to):
		hint := "write `" + argument + "=F`, with " + r.signature(u, "F", deref(from), deref(to)) + " in this package"
		if argument == "downgradeWith" && c.up == nil && haveSameForm(from, to) {
			hint += "; `downgradeWith=none` leaves numbers as they are"
		}
		r.errorf(c.markerUse.pos, hint,
			"%s does not convert to %s by itself", r.name(u, deref(from)), r.name(u, deref(to)))
	}
}

// resolve finds a function, and reports one that does not fit. If from is nil, the function has no
// parameter.
func (r *reader) resolve(u *unit, f *function, from, to types.Type) {
	object := f.home.Types.Scope().Lookup(f.name)
	found, ok := object.(*types.Func)
	if !ok {
		r.errorf(f.pos, nearestOf(f.name, functionNames(f.home.Types)), "%s is not a function of this package", f.name)
		return
	}
	if !token.IsExported(f.name) {
		r.errorf(f.pos, "give it a name that begins with an upper-case letter", "generated code cannot call %s", f.name)
	}
	signature := found.Signature()
	if signature.TypeParams().Len() > 0 || signature.Variadic() || !results(signature, to) || !parameters(signature, from) {
		r.errorf(f.pos, "write "+r.signature(u, f.name, from, to)+", and if it can fail an error as second result", "%s does not have the right signature", f.name)
		return
	}
	f.object, f.fails = found, signature.Results().Len() == 2
	for _, t := range []types.Type{from, to} {
		if name := u.versioned(t); name != "" {
			r.errorf(f.pos, "give the function a type of its own for "+name, "%s takes or returns %s, which has a history: it is a different type in every version", f.name, name)
			return
		}
	}
}

func parameters(s *types.Signature, from types.Type) bool {
	if from == nil {
		return s.Params().Len() == 0
	}
	return s.Params().Len() == 1 && fits(s.Params().At(0).Type(), from)
}

func results(s *types.Signature, to types.Type) bool {
	n := s.Results().Len()
	if n == 2 && !types.Identical(s.Results().At(1).Type(), types.Universe.Lookup("error").Type()) {
		return false
	}
	return (n == 1 || n == 2) && fits(s.Results().At(0).Type(), to)
}

// fits reports whether a function can take or return values of a type: the type itself or what it
// points to, since functions are not called for absent values.
func fits(t, wanted types.Type) bool {
	return types.Identical(t, wanted) || types.Identical(t, deref(wanted))
}

// signature returns the required signature of a function.
func (r *reader) signature(u *unit, name string, from, to types.Type) string {
	param := ""
	if from != nil {
		param = r.name(u, from)
	}
	return "func " + name + "(" + param + ") " + r.name(u, to)
}

// name spells a type as code of the package does.
func (r *reader) name(u *unit, t types.Type) string {
	return types.TypeString(t, types.RelativeTo(u.pkg.Types))
}

func functionNames(p *types.Package) []string {
	var out []string
	scope := p.Scope()
	for _, name := range scope.Names() {
		if _, ok := scope.Lookup(name).(*types.Func); ok && token.IsExported(name) {
			out = append(out, name)
		}
	}
	return out
}

// deref returns the element of a pointer type, and any other type itself.
func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// converts reports whether every value of a type is also one of another without a function: the
// same kind of scalar, structs that convert member by member, and lists and maps of these.
func converts(from, to types.Type) bool {
	a, b := deref(from), deref(to)
	switch x := a.Underlying().(type) {
	case *types.Basic:
		y, ok := b.Underlying().(*types.Basic)
		return ok && widens(x, y)
	case *types.Slice:
		y, ok := b.Underlying().(*types.Slice)
		return ok && convertsWithin(x.Elem(), y.Elem())
	case *types.Map:
		y, ok := b.Underlying().(*types.Map)
		return ok && convertsWithin(x.Key(), y.Key()) && convertsWithin(x.Elem(), y.Elem())
	case *types.Struct:
		return isStruct(b)
	}
	return false
}

// haveSameForm reports whether JSON has one form of the numbers of two types.
func haveSameForm(a, b types.Type) bool {
	return isWhole(a) && isWhole(b) || isNumber(a) && isNumber(b)
}

// truncates reports whether the runtime converts numbers of a type back to integers, without
// decimals.
func truncates(from, to types.Type) bool { return isNumber(from) && isWhole(to) }

// convertsWithin is converts in lists and maps, where whole numbers are not converted one by one.
func convertsWithin(from, to types.Type) bool {
	return converts(from, to) && !(isWhole(from) && isNumber(to))
}

// bits are the sizes of whole numbers, including their sign.
var bits = map[types.BasicKind]int{
	types.Int8: 8, types.Int16: 16, types.Int32: 32, types.Int64: 64, types.Int: 64,
	types.Uint8: 9, types.Uint16: 17, types.Uint32: 33, types.Uint64: 65, types.Uint: 65,
}

func widens(from, to *types.Basic) bool {
	switch {
	case from.Kind() == to.Kind():
		return true
	case from.Info()&types.IsInteger != 0 && to.Info()&types.IsInteger != 0:
		return bits[from.Kind()] <= bits[to.Kind()] && to.Info()&types.IsUnsigned <= from.Info()&types.IsUnsigned
	}
	return from.Kind() == types.Float32 && to.Kind() == types.Float64 || from.Info()&types.IsInteger != 0 && to.Info()&types.IsFloat != 0
}

// versioned returns the name of a type with a history that a type consists of; empty for none.
func (u *unit) versioned(t types.Type) string {
	return reached(t, func(n *types.Named) bool { return u.hasHistories(n.Origin().Obj()) })
}

// reached returns the name of a declared type that a type consists of and that wanted accepts;
// empty for none.
func reached(t types.Type, wanted func(*types.Named) bool) string {
	seen := map[types.Type]bool{}
	var find func(t types.Type) string
	find = func(t types.Type) string {
		t = types.Unalias(t)
		if t == nil || seen[t] {
			return ""
		}
		seen[t] = true
		if n, ok := t.(*types.Named); ok && wanted(n) {
			return n.Obj().Name()
		}
		switch x := t.Underlying().(type) {
		case interface{ Elem() types.Type }:
			return find(x.Elem())
		case *types.Struct:
			for i := range x.NumFields() {
				if name := find(x.Field(i).Type()); name != "" {
					return name
				}
			}
		}
		return ""
	}
	return find(t)
}

// hasHistories reports whether a type differs between versions. An enum with a value in only some
// versions does not count.
func (u *unit) hasHistories(object *types.TypeName) bool {
	return slices.ContainsFunc(u.owned[object], func(h *history) bool {
		return h.constant && len(h.changes) > 0 || !h.constant && h.hasHistory()
	})
}
