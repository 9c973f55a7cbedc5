package goconv

import (
	"go/types"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// form is the way in which values of a Go type convert to their storage type.
type form int

const (
	// jsonForm converts through JSON: types that encode themselves, and types of another kind
	// than their storage type.
	jsonForm form = iota
	scalarForm
	objectForm
	listForm
	mapForm
	// openForm is a map that is stored as an object.
	openForm
)

// formOf returns the form of a type that is not a pointer.
func formOf(t types.Type, p plan.Type) form {
	if p.Any && p.Wrap == "" || augmentation.EncodesItself(t) {
		return jsonForm
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if kind, ok := kindOf(u); ok && p.Wrap == "" && p.Struct == nil && kind == p.Kind {
			return scalarForm
		}
	case *types.Struct:
		if _, named := types.Unalias(t).(*types.Named); named && p.Wrap == "" && p.Struct != nil {
			return objectForm
		}
	case *types.Slice:
		if b, ok := u.Elem().Underlying().(*types.Basic); (!ok || b.Kind() != types.Byte) && p.Wrap != "" && p.Wrap[0] == 'l' {
			return listForm
		}
	case *types.Map:
		if p.Wrap != "" && p.Wrap[0] == 'm' && types.Identical(u.Key(), types.Typ[types.String]) {
			return mapForm
		}
		if p.Wrap == "" && p.Struct != nil && p.Struct.Map && types.Identical(u.Key(), types.Typ[types.String]) {
			return openForm
		}
	}
	return jsonForm
}

func kindOf(b *types.Basic) (model.Kind, bool) {
	switch info := b.Info(); {
	case info&types.IsBoolean != 0:
		return model.Bool, true
	case info&types.IsInteger != 0:
		return model.Int, true
	case info&types.IsFloat != 0:
		return model.Number, true
	case info&types.IsString != 0:
		return model.String, true
	}
	return 0, false
}

var bases = [...]types.BasicKind{model.String: types.String, model.Int: types.Int64, model.Number: types.Float64, model.Bool: types.Bool}

// isBase reports whether a type's underlying type is the storage type of its scalars.
func isBase(t types.Type, p plan.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && formOf(t, p) == scalarForm && b.Kind() == bases[p.Kind]
}

func isNamed(t types.Type) bool {
	_, basic := types.Unalias(t).(*types.Basic)
	return !basic
}

// baseName returns the storage type of a scalar.
func baseName(p plan.Type) string { return types.Typ[bases[p.Kind]].Name() }

// toStored writes the conversion of a field to its storage type.
func (w *author) toStored(dst, src string, g *augmentation.Field, p plan.Type) {
	t, isPointer := augmentation.ElementOf(g.Type)
	form := formOf(t, p)
	if isPointer && (form == listForm || form == mapForm) {
		form = jsonForm
	}
	pointer := src
	if !isPointer {
		pointer = "&" + src
	}
	switch {
	case form == listForm, form == mapForm:
		w.manyTo(dst, src, g, t, p)
		return
	case form == openForm && !isPointer:
		if g.OmitsEmpty {
			src = w.Genruntime("FilledMap") + "(" + src + ")"
		}
		w.calls = append(w.calls, w.Genruntime("MapObjectTo")+"(&"+dst+", "+src+", "+w.openFunc(t, p, up)+")")
		return
	case isPointer:
	case g.OmitsZero:
		pointer = w.Genruntime("Unzero") + "(" + pointer + ")"
	case g.OmitsEmpty && form == scalarForm:
		pointer = w.Genruntime("Filled") + "(" + pointer + ")"
	case g.OmitsEmpty && form == jsonForm:
		pointer = w.Genruntime("Unempty") + "(" + pointer + ")"
	}
	switch {
	case form == jsonForm:
		w.calls = append(w.calls, w.Genruntime("JSONTo")+"("+pointer+", &"+dst+")")
	case isBase(t, p) && isNamed(t):
		w.P("\t", dst, " = (*", baseName(p), ")(", pointer, ")")
	case isBase(t, p):
		w.P("\t", dst, " = ", pointer)
	default:
		w.calls = append(w.calls, w.Genruntime("ObjectTo")+"(&"+dst+", "+pointer+", "+w.elementFunc(t, p, up)+")")
	}
}

// manyTo writes the conversion of a list or map to its storage type.
func (w *author) manyTo(dst, src string, g *augmentation.Field, t types.Type, p plan.Type) {
	many := many(t)
	if g.OmitsEmpty {
		src = w.Genruntime("Filled"+many) + "(" + src + ")"
	}
	elem, inner := elementOf(t), gofile.Within(p)
	switch {
	case isBase(elem, inner) && isNamed(elem):
		w.P("\t", dst, " = ", w.keys(many, up, w.Genruntime("Cast"+many)+"["+baseName(inner)+"]("+src+")"))
	case isBase(elem, inner):
		w.P("\t", dst, " = ", w.keys(many, up, src))
	default:
		w.calls = append(w.calls, w.Genruntime(manyFunc(many, up))+"(&"+dst+", "+src+", "+w.elementFunc(elem, inner, up)+")")
	}
}

// keys returns the expression for a list or map of scalars with the keys of the other side.
func (w *author) keys(many string, d direction, value string) string {
	switch {
	case many == "List":
		return value
	case d == up:
		return w.Genruntime("StoredKeys") + "(" + value + ")"
	}
	return w.Genruntime("APIKeys") + "(" + value + ")"
}

// manyFunc returns the runtime's function that converts a list or map.
func manyFunc(many string, d direction) string {
	if many == "Map" {
		return many + string(d) + "Storage"
	}
	return many + string(d)
}

func many(t types.Type) string {
	if _, ok := t.Underlying().(*types.Map); ok {
		return "Map"
	}
	return "List"
}

func elementOf(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Map:
		return u.Elem()
	case *types.Slice:
		return u.Elem()
	}
	return nil
}

// fromStored writes the conversion of a field from its storage type.
func (w *author) fromStored(dst, src string, g *augmentation.Field, p plan.Type) {
	t, isPointer := augmentation.ElementOf(g.Type)
	form := formOf(t, p)
	if isPointer && (form == listForm || form == mapForm) {
		form = jsonForm
	}
	switch {
	case form == jsonForm:
		w.calls = append(w.calls, w.Genruntime("JSONFrom")+"(&"+dst+", &"+src+")")
	case form == listForm, form == mapForm:
		w.manyFrom(dst, src, t, p)
	case form == openForm && !isPointer:
		w.calls = append(w.calls, w.Genruntime("MapObjectFrom")+"("+w.addressOf(dst, t)+", "+src+", "+w.openFunc(t.Underlying(), p, down)+")")
	case isBase(t, p) && isPointer && isNamed(t):
		w.P("\t", dst, " = (*", w.spell(t), ")(", src, ")")
	case isBase(t, p) && isPointer:
		w.P("\t", dst, " = ", src)
	case isBase(t, p) && isNamed(t):
		w.P("\t", dst, " = ", w.spell(t), "(", w.Genruntime("Value"), "(", src, "))")
	case isBase(t, p):
		w.P("\t", dst, " = ", w.Genruntime("Value"), "(", src, ")")
	case isPointer:
		w.calls = append(w.calls, w.Genruntime("ObjectFrom")+"(&"+dst+", "+src+", "+w.elementFunc(t, p, down)+")")
	default:
		w.calls = append(w.calls, w.Genruntime("ValueFrom")+"(&"+dst+", "+src+", "+w.elementFunc(t, p, down)+")")
	}
}

func (w *author) manyFrom(dst, src string, t types.Type, p plan.Type) {
	elem, inner, many := elementOf(t), gofile.Within(p), many(t)
	switch {
	case isBase(elem, inner) && isNamed(elem):
		w.P("\t", dst, " = ", w.keys(many, down, w.Genruntime("Cast"+many)+"["+w.spell(elem)+"]("+src+")"))
	case isBase(elem, inner):
		w.P("\t", dst, " = ", w.keys(many, down, src))
	default:
		w.calls = append(w.calls, w.Genruntime(manyFunc(many, down))+"("+w.addressOf(dst, t)+", "+src+", "+w.elementFunc(elem, inner, down)+")")
	}
}

// addressOf returns the address of a list or map, cast to its underlying type if it is named.
func (w *author) addressOf(value string, t types.Type) string {
	if types.Identical(types.Unalias(t), t.Underlying()) {
		return "&" + value
	}
	return "(*" + w.spell(t.Underlying()) + ")(&" + value + ")"
}

var scalarFuncs = [...]string{model.String: "Text", model.Int: "Integer", model.Number: "Number", model.Bool: "Truth"}

// elementFunc returns the function that converts one value.
func (w *author) elementFunc(t types.Type, p plan.Type, d direction) string {
	if elem, isPointer := augmentation.ElementOf(t); isPointer {
		if formOf(elem, p) == jsonForm {
			return w.Genruntime("JSON" + string(d))
		}
		return w.Genruntime("Pointee"+string(d)) + "(" + w.elementFunc(elem, p, d) + ")"
	}
	switch formOf(t, p) {
	case scalarForm:
		return w.Genruntime(scalarFuncs[p.Kind]+string(d)) + "[" + w.spell(t) + "]"
	case objectForm:
		return w.converter(t, p.Struct, d)
	case listForm, mapForm:
		return w.nestedFunc(t, p, d)
	case openForm:
		return w.openFunc(t, p, d)
	}
	return w.Genruntime("JSON" + string(d))
}

// nestedFunc returns the function that converts a list or map within another.
func (w *author) nestedFunc(t types.Type, p plan.Type, d direction) string {
	src, dst := "src *"+w.spell(t), "dst *"+w.Wrapped(p, gofile.StorageSide)
	within := w.elementFunc(elementOf(t), gofile.Within(p), d)
	if d == up {
		return gofile.Literal("func("+src+", "+dst+") error", "return "+w.Genruntime(manyFunc(many(t), up))+"(dst, *src, "+within+")")
	}
	src, dst = "src *"+w.Wrapped(p, gofile.StorageSide), "dst *"+w.spell(t)
	into := "dst"
	if !types.Identical(types.Unalias(t), t.Underlying()) {
		into = "(*" + w.spell(t.Underlying()) + ")(dst)"
	}
	return gofile.Literal("func("+dst+", "+src+") error", "return "+w.Genruntime(manyFunc(many(t), down))+"("+into+", *src, "+within+")")
}

// openFunc returns the function that converts a map that is stored as an object.
func (w *author) openFunc(t types.Type, p plan.Type, d direction) string {
	within := w.elementFunc(elementOf(t), gofile.Within(p.Struct.Open().Type), d)
	typ, stored := w.spell(t), w.Stored(p.Struct)
	if d == up {
		return gofile.Literal("func(src *"+typ+", dst *"+stored+") error", "return "+w.Genruntime("MembersTo")+"(&dst.AdditionalProperties, *src, "+within+")")
	}
	into := "dst"
	if !types.Identical(types.Unalias(t), t.Underlying()) {
		into = "(*" + w.spell(t.Underlying()) + ")(dst)"
	}
	return gofile.Literal("func(dst *"+typ+", src *"+stored+") error", "return "+w.Genruntime("MembersFrom")+"("+into+", src.AdditionalProperties, "+within+")")
}
