package goconv

import (
	"github.com/stratakube/strata/generator/internal/emit/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// end is one end of a conversion: a type of a field, on one side.
type end struct {
	typ  plan.Type
	side gofile.Side
}

func (e end) within() end {
	e.typ = gofile.Within(e.typ)
	return e
}

// style is the order of a converting function's parameters.
type style struct{ name, params string }

var (
	to   = style{"To", "src, dst"}
	from = style{"From", "dst, src"}
)

// link is how values of one field are handed over: the two ends, and what
// converts the objects in them. Convert is empty where both ends have the same
// Go types, but for enums.
type link struct {
	src, dst end
	style    style
	convert  string
}

// value writes how dst becomes src: an assignment, or a call whose error is
// returned at the function's end.
func (f *function) value(dst, src string, l link) {
	switch {
	case l.convert != "":
		f.calls = append(f.calls, f.convertCall("&"+dst, src, l))
	case f.differ(l):
		f.P("\t", dst, " = ", f.cast(src, l))
	default:
		f.P("\t", dst, " = ", src)
	}
}

// differ tells whether the ends differ in enums.
func (f *function) differ(l link) bool { return enumOf(l.src) != enumOf(l.dst) }

// enumOf is the enum of an end; storage has only base types.
func enumOf(e end) *plan.Enum {
	if e.side == gofile.StorageSide {
		return nil
	}
	return e.typ.Enum
}

// cast converts enums to their base type or back, sharing memory.
func (f *function) cast(src string, l link) string {
	wrap := l.dst.typ.Wrap
	if wrap == "" {
		return "(" + f.Type(l.dst.typ, l.dst.side) + ")(" + src + ")"
	}
	cast := "CastList"
	if wrap[0] == 'm' {
		cast = "CastMap"
	}
	inner := l.dst.within()
	return f.Runtime(cast) + "[" + f.Wrapped(inner.typ, inner.side) + "](" + src + ")"
}

// convertCall calls the runtime to convert objects in lists and maps.
func (f *function) convertCall(dst, src string, l link) string {
	wrap := l.src.typ.Wrap
	if wrap == "" {
		return f.Runtime("Object"+l.style.name) + "(" + dst + ", " + src + ", " + l.convert + ")"
	}
	many := "List"
	if wrap[0] == 'm' {
		many = "Map"
	}
	return f.Runtime(many+l.style.name) + "(" + dst + ", " + src + ", " + f.elementFunc(l) + ")"
}

// elementFunc is the function that converts one element of a list or map.
func (f *function) elementFunc(l link) string {
	inner := link{src: l.src.within(), dst: l.dst.within(), style: l.style, convert: l.convert}
	if inner.src.typ.Wrap == "" {
		return l.convert
	}
	src := "src *" + f.Wrapped(inner.src.typ, inner.src.side)
	dst := "dst *" + f.Wrapped(inner.dst.typ, inner.dst.side)
	params := src + ", " + dst
	if l.style == from {
		params = dst + ", " + src
	}
	return gofile.Literal("func("+params+") error", "return "+f.convertCall("dst", "*src", inner))
}
