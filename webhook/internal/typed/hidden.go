package typed

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// hiddenMembers are members of structs that a conversion may hide, by the type and the JSON name:
// the other types of the conversion have no member of that name at the same path, or one of another
// kind. A renamed member counts as hidden, although it is not.
type hiddenMembers map[reflect.Type]map[string]bool

// side is a type of a conversion: that of a version, or of the hub.
type side struct {
	reflect.Type
	largest int64 // size of a value in it
	isHub   bool
}

// copies returns how many values of the type there are for an object: one of the hub, and of other
// versions also one of their storage, which has the same size.
func (s side) copies() int64 {
	if s.isHub {
		return 1
	}
	return 2
}

// sides returns the source of a conversion, and the other types.
func (c *converter) sides() (source side, others []side) {
	of := func(v schema.GroupVersionKind) side {
		return side{c.scheme.AllKnownTypes()[v], largestOf(c.scheme, v).single, v == c.hub}
	}
	for _, v := range []schema.GroupVersionKind{c.hub, c.to} {
		if v != c.from && (v != c.hub || len(others) == 0) {
			others = append(others, of(v))
		}
	}
	return of(c.from), others
}

// expected is what the types of a conversion tell about an object.
type expected struct {
	hidden hiddenMembers
	// sizes are those of structs of the source, with their counterparts in the other types.
	sizes map[reflect.Type]int64
}

// expectedOf compares the type of a source with the others.
func expectedOf(source side, others ...side) expected {
	e := expected{hiddenMembers{}, map[reflect.Type]int64{}}
	var compared []comparison
	for _, other := range others {
		c := comparison{e.hidden, map[[2]reflect.Type]bool{}, map[reflect.Type]int64{}}
		c.fits(source.Type, other.Type)
		compared = append(compared, c)
	}
	for t := range structsOf(source.Type) {
		all := source.copies() * (int64(t.Size()) + pointerSize)
		for i, other := range others {
			size, known := compared[i].sizes[t]
			if !known {
				size = other.largest // the value may be anywhere
			}
			all += other.copies() * (size + pointerSize)
		}
		e.sizes[t] = all
	}
	return e
}

// structsOf returns the structs within a type.
func structsOf(t reflect.Type) map[reflect.Type]bool {
	found := map[reflect.Type]bool{}
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		t = valueType(t)
		switch {
		case t == nil || found[t]:
		case t.Kind() == reflect.Slice, t.Kind() == reflect.Array, t.Kind() == reflect.Map:
			visit(t.Elem())
		case t.Kind() == reflect.Struct:
			found[t] = true
			for _, field := range fieldsOf(t) {
				visit(field)
			}
		}
	}
	visit(t)
	return found
}

// comparison compares the types of two versions. sizes are those of the counterparts of structs.
type comparison struct {
	hidden hiddenMembers
	seen   map[[2]reflect.Type]bool
	sizes  map[reflect.Type]int64
}

// fits reports whether each value of the first type is one of the second, but for members of
// structs, which it adds to hidden.
func (c comparison) fits(t, other reflect.Type) bool {
	t, other = valueType(t), valueType(other)
	pair := [2]reflect.Type{t, other}
	if c.seen[pair] || t == nil && other == nil {
		return true
	}
	if t == nil || other == nil {
		return false
	}
	if isText(t) || isText(other) || t.Kind() != other.Kind() {
		return isText(t) && isText(other)
	}
	c.seen[pair] = true
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return c.fits(t.Elem(), other.Elem())
	case reflect.Map:
		return t.Key().Kind() == other.Key().Kind() && c.fits(t.Elem(), other.Elem())
	case reflect.Struct:
		c.sizes[t] = max(c.sizes[t], int64(other.Size()))
		of := fieldsOf(other)
		for name, field := range fieldsOf(t) {
			if counterpart, found := of[name]; found && c.fits(field, counterpart) {
				continue
			}
			if c.hidden[t] == nil {
				c.hidden[t] = map[string]bool{}
			}
			c.hidden[t][name] = true
		}
	}
	return true
}
