package augmentation

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// Field is a field of a struct, or of one that it embeds, as encoded in JSON.
type Field struct {
	// Name is the name in JSON. Path is the selector in Go, from the struct.
	Name, Path string
	Type       types.Type
	// OmitsEmpty and OmitsZero report when JSON omits the field.
	OmitsEmpty, OmitsZero bool
	Pos                   token.Pos
	depth                 int
}

// Fields returns the members of a struct in JSON; of several with one name, the outermost. plain is
// false if code for each field cannot reproduce the JSON: with embedded pointers, or the string
// option.
func Fields(t *types.Struct, runtime string) (fields []Field, plain bool) {
	plain = true
	var visit func(t *types.Struct, path string, depth int)
	visit = func(t *types.Struct, path string, depth int) {
		for i := range t.NumFields() {
			f := t.Field(i)
			name, options, _ := strings.Cut(reflect.StructTag(t.Tag(i)).Get("json"), ",")
			inner, isPointer := f.Type(), false
			if p, ok := types.Unalias(inner).(*types.Pointer); ok {
				inner, isPointer = p.Elem(), true
			}
			s, isStruct := inner.Underlying().(*types.Struct)
			switch {
			case name == "-" && options == "":
			case f.Embedded() && name == "" && IsVersionedStatus(inner, runtime):
			case f.Embedded() && name == "" && isStruct:
				plain = plain && !isPointer
				visit(s, path+f.Name()+".", depth+1)
			case !f.Exported() || name == "":
			default:
				has := func(option string) bool { return slices.Contains(strings.Split(options, ","), option) }
				plain = plain && !has("string")
				fields = append(fields, Field{name, path + f.Name(), f.Type(), has("omitempty"), has("omitzero"), f.Pos(), depth})
			}
		}
	}
	visit(t, "", 0)
	return outermost(fields), plain
}

// outermost removes fields that others with their name hide.
func outermost(fields []Field) []Field {
	least := map[string]int{} // depth, by name
	for _, f := range fields {
		if depth, known := least[f.Name]; !known || f.depth < depth {
			least[f.Name] = f.depth
		}
	}
	return slices.DeleteFunc(fields, func(f Field) bool { return f.depth > least[f.Name] })
}

// EncodesItself reports whether a type implements its own JSON encoding.
func EncodesItself(t types.Type) bool {
	methods := types.NewMethodSet(types.NewPointer(t))
	for _, name := range []string{"MarshalJSON", "MarshalText"} {
		if methods.Lookup(nil, name) != nil {
			return true
		}
	}
	return false
}

// ElementOf returns the element of a pointer type, and any other type itself.
func ElementOf(t types.Type) (elem types.Type, isPointer bool) {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem(), true
	}
	return t, false
}

// Innermost returns the type inside pointers, lists and maps; nil for nil. It returns a type that
// encodes itself as it is, because its JSON is not that of the types in it. The same holds for a
// type that contains only itself.
func Innermost(t types.Type) types.Type {
	seen := map[types.Type]bool{}
	for t != nil && !EncodesItself(t) && !seen[t] {
		seen[t] = true
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
		}
	}
	return t
}
