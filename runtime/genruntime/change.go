package genruntime

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// change is the difference of two values of a generated type. In has the differences of their
// members, elements or entries, by name, index or key. Without In, the whole value differs, and To
// is the JSON of the second value; nil if it is absent.
type change struct {
	To runtime.JSON      `json:"to,omitzero"`
	In map[string]change `json:"in,omitzero"`
}

// difference returns the change from one value to another of the same type. It descends into
// objects, maps and bags, and into lists of the same length.
func difference(from, to reflect.Value) (c change, differs bool) {
	switch kind := to.Kind(); {
	case kind == reflect.Pointer && !from.IsNil() && !to.IsNil():
		if from.Pointer() == to.Pointer() {
			return c, false
		}
		return difference(from.Elem(), to.Elem())
	case kind == reflect.Struct:
		for i := range to.NumField() {
			if f := to.Type().Field(i); f.IsExported() {
				c.addInner(memberName(f), from.Field(i), to.Field(i))
			}
		}
	case isBag(to), kind == reflect.Map && from.IsNil() == to.IsNil():
		c.addEntries(from, to)
	case kind == reflect.Slice && !isJSON(to) && from.IsNil() == to.IsNil() && from.Len() == to.Len():
		for i := range to.Len() {
			c.addInner(strconv.Itoa(i), from.Index(i), to.Index(i))
		}
	case !isSameLeaf(from, to):
		return change{To: encodeLeaf(to)}, true
	}
	return c, c.In != nil
}

func (c *change) addInner(name string, from, to reflect.Value) {
	if inner, differs := difference(from, to); differs {
		c.put(name, inner)
	}
}

func (c *change) put(name string, inner change) {
	if c.In == nil {
		c.In = map[string]change{}
	}
	c.In[name] = inner
}

func (c *change) addEntries(from, to reflect.Value) {
	for key, after := range to.Seq2() {
		if before := from.MapIndex(key); before.IsValid() {
			c.addInner(key.String(), before, after)
		} else {
			c.put(key.String(), change{To: jsontext.Encode(after.Interface())})
		}
	}
	for key := range from.Seq2() {
		if !to.MapIndex(key).IsValid() {
			c.put(key.String(), change{})
		}
	}
}

// apply makes the change in v, which shares no memory. It ignores what v lacks, and values of
// another type.
func (c change) apply(v reflect.Value) {
	switch {
	case c.In == nil:
		if decoded := reflect.New(v.Type()); c.To == nil || kjson.UnmarshalCaseSensitivePreserveInts(c.To, decoded.Interface()) == nil {
			v.Set(decoded.Elem())
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		c.apply(v.Elem())
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if inner, has := c.In[memberName(v.Type().Field(i))]; has && v.Field(i).CanSet() {
				inner.apply(v.Field(i))
			}
		}
	case v.Kind() == reflect.Slice && !isJSON(v):
		for i := range v.Len() {
			if inner, has := c.In[strconv.Itoa(i)]; has {
				inner.apply(v.Index(i))
			}
		}
	case v.Kind() == reflect.Map:
		for _, name := range slices.Sorted(maps.Keys(c.In)) {
			c.In[name].applyToEntry(v, reflect.ValueOf(name).Convert(v.Type().Key()))
		}
		if isBag(v) && v.Len() == 0 {
			v.SetZero()
		}
	}
}

func (c change) applyToEntry(v, key reflect.Value) {
	if c.In == nil && c.To == nil {
		if !v.IsNil() {
			v.SetMapIndex(key, reflect.Value{})
		}
		return
	}
	entry := reflect.New(v.Type().Elem()).Elem()
	if old := v.MapIndex(key); old.IsValid() {
		entry.Set(old)
	} else if c.In != nil {
		return
	}
	c.apply(entry)
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	v.SetMapIndex(key, entry)
}

// except returns the change without the values that restored changes and given does not.
func (c change) except(restored, given change) change {
	out := change{}
	for name, inner := range c.In {
		r, isRestored := restored.In[name]
		g, isGiven := given.In[name]
		switch {
		case !isRestored:
		case !isGiven:
			continue
		case inner.In != nil && r.In != nil && g.In != nil:
			if inner = inner.except(r, g); inner.In == nil {
				continue
			}
		}
		out.put(name, inner)
	}
	return out
}

// only returns the changes of values that other changes too.
func (c change) only(other change) change {
	out := change{}
	for name, inner := range c.In {
		o, both := other.In[name]
		if both && inner.In != nil && o.In != nil {
			inner = inner.only(o)
			both = inner.In != nil
		}
		if both {
			out.put(name, inner)
		}
	}
	return out
}

// without returns the changes of values that other does not change.
func (c change) without(other change) change {
	out := change{}
	for name, inner := range c.In {
		o, both := other.In[name]
		if both && inner.In != nil && o.In != nil {
			inner = inner.without(o)
			both = inner.In == nil
		}
		if !both {
			out.put(name, inner)
		}
	}
	return out
}

// overlaps reports whether two changes of one object change the same value. No change at all
// overlaps none.
func (c change) overlaps(other change) bool {
	for name, inner := range c.In {
		if o, both := other.In[name]; both && (inner.In == nil || o.In == nil || inner.overlaps(o)) {
			return true
		}
	}
	return false
}

// memberName returns the JSON name of a field. Additional members, which have none, have an empty
// name.
func memberName(f reflect.StructField) string {
	tag := f.Tag.Get("json")
	if tag == "-" {
		return ""
	}
	name, _, _ := strings.Cut(tag, ",")
	return name
}

func isJSON(v reflect.Value) bool { return v.Type() == reflect.TypeFor[runtime.JSON]() }

func isBag(v reflect.Value) bool { return v.Type() == reflect.TypeFor[runtime.PropertyBag]() }

// isSameLeaf reports whether two values have the same JSON. The order of members of free JSON does
// not count.
func isSameLeaf(a, b reflect.Value) bool {
	if isJSON(b) {
		x, y := a.Interface().(runtime.JSON), b.Interface().(runtime.JSON)
		return bytes.Equal(x, y) || x != nil && y != nil && jsontext.IsSame(x, y)
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// encodeLeaf returns the JSON of a value; nil for an absent one.
func encodeLeaf(v reflect.Value) runtime.JSON {
	if v.IsZero() {
		return nil
	}
	return jsontext.Encode(v.Interface())
}

// names stores, by type, the JSON names of its fields. Additional members and unexported fields
// have an empty name.
var names sync.Map // reflect.Type -> []string

// namesOf returns the JSON names of the fields of a struct.
func namesOf(t reflect.Type) []string {
	if known, ok := names.Load(t); ok {
		return known.([]string)
	}
	out := make([]string, t.NumField())
	for i := range out {
		out[i] = memberName(t.Field(i))
	}
	names.Store(t, out)
	return out
}
