package goconv

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// end is one end of a conversion: a field's type, on one side.
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

// link states how values of one field are handed over: the two ends, and the function that
// converts the objects in them. convert is empty if both ends have the same Go types, apart from
// enums.
type link struct {
	src, dst end
	style    style
	convert  string
	members  bool // the field contains the further members of an object
}

// value writes the conversion of src to dst: an assignment, or a call whose error is returned at
// the function's end.
func (f *function) value(dst, src string, l link) {
	if l.converts() {
		f.calls = append(f.calls, f.convertCall("&"+dst, src, l))
	} else {
		f.assigns = append(f.assigns, [2]string{dst, f.assigned(src, l)})
	}
}

// assigned returns the expression that is assigned for src: enums are cast, and keys of maps are
// those of the other side.
func (f *function) assigned(src string, l link) string {
	if f.differ(l) {
		src = f.cast(src, l)
	}
	if _, ok := l.stored(); ok && l.hasKeys() {
		return f.Genruntime(map[style]string{to: "Stored", from: "API"}[l.style]+keys(l)) + "(" + src + ")"
	}
	return src
}

// keys returns the suffix of the runtime's function for the keys that change.
func keys(l link) string {
	if l.members {
		return "Members"
	}
	return "Keys"
}

// hasKeys reports whether the values of a field contain maps. Further members have the names of
// the API in Go.
func (l link) hasKeys() bool {
	wrap := l.src.typ.Wrap
	if l.members {
		wrap = wrap[1:]
	}
	return strings.Contains(wrap, "m")
}

// stored returns the end of storage if the other one is that of the API. It returns false if both
// are of storage.
func (l link) stored() (end, bool) {
	if l.src.side == l.dst.side {
		return end{}, false
	}
	if l.src.side == gofile.StorageSide {
		return l.src, true
	}
	return l.dst, true
}

// converts reports whether the Go types of the ends differ in more than enums.
func (l link) converts() bool {
	s, ok := l.stored()
	return l.convert != "" || ok && s.typ.Struct != nil
}

// opens reports whether the API has a map where storage has an object.
func (l link) opens() bool {
	s, ok := l.stored()
	return ok && s.typ.Wrap == "" && s.typ.Struct != nil && s.typ.Struct.Map
}

// differ reports whether the ends differ in enums.
func (f *function) differ(l link) bool { return enumOf(l.src) != enumOf(l.dst) }

// enumOf returns the enum of an end; storage has only base types.
func enumOf(e end) *plan.Enum {
	if e.side == gofile.StorageSide {
		return nil
	}
	return e.typ.Enum
}

// cast returns an expression that converts enums to their base type or back, without copying.
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
	return f.Genruntime(cast) + "[" + f.Wrapped(inner.typ, inner.side) + "](" + src + ")"
}

// convertCall returns the runtime's call that converts objects in lists and maps.
func (f *function) convertCall(dst, src string, l link) string {
	if l.opens() {
		return f.Genruntime("MapObject"+l.style.name) + "(" + dst + ", " + src + ", " + f.openFunc(l) + ")"
	}
	wrap := l.src.typ.Wrap
	if _, isAPI := l.stored(); isAPI && !l.members && (wrap == "" || wrap == "l") && strings.HasPrefix(l.convert, "(*") {
		lift := map[string]string{"": "", "l": "List"}[wrap]
		return f.Genruntime(lift+l.style.name+"Storage") + "(" + dst + ", " + src + ")"
	}
	if wrap == "" {
		return f.Genruntime("Object"+l.style.name) + "(" + dst + ", " + src + ", " + l.convert + ")"
	}
	return f.Genruntime(l.many()) + "(" + dst + ", " + src + ", " + f.elementFunc(l) + ")"
}

// many returns the runtime's function for lists, or for maps.
func (l link) many() string {
	switch _, ok := l.stored(); {
	case l.src.typ.Wrap[0] != 'm':
		return "List" + l.style.name
	case ok && !l.members:
		return "Map" + l.style.name + "Storage"
	}
	return "Map" + l.style.name
}

// elementFunc returns the function that converts one element of a list or map.
func (f *function) elementFunc(l link) string {
	inner := link{src: l.src.within(), dst: l.dst.within(), style: l.style, convert: l.convert}
	switch {
	case inner.opens():
		return f.openFunc(inner)
	case inner.src.typ.Wrap == "":
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

// openFunc returns the function that converts between the map that the API has and the object
// that storage has.
func (f *function) openFunc(l link) string {
	members := l
	members.members = true
	src, dst := "*src", "&dst.AdditionalProperties"
	params := "src *" + f.Wrapped(l.src.typ, l.src.side) + ", dst *" + f.Wrapped(l.dst.typ, l.dst.side)
	if l.style == from {
		src, dst = "src.AdditionalProperties", "dst"
		params = "dst *" + f.Wrapped(l.dst.typ, l.dst.side) + ", src *" + f.Wrapped(l.src.typ, l.src.side)
		members.src.typ = l.src.typ.Struct.Open().Type
	} else {
		members.dst.typ = l.dst.typ.Struct.Open().Type
	}
	var call string
	switch {
	case members.converts():
		call = f.Genruntime("Members"+l.style.name) + "(" + dst + ", " + src + ", " + f.elementFunc(members) + ")"
	default:
		call = f.Genruntime("SetMembers"+l.style.name) + "(" + dst + ", " + f.assigned(src, members) + ")"
	}
	return gofile.Literal("func("+params+") error", "return "+call)
}
