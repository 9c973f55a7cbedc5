package conformance

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// key returns a key that is no name of a property. In a quarter of the cases it returns the name
// of another version's property, if there is any.
func (f *furthers) key(d *drawer, sort dictSort) string {
	if len(f.all) > 0 && d.next()&3 == 0 {
		return f.all[d.below(len(f.all))].name
	}
	if key := d.key(sort); !slices.Contains(f.taken, key) {
		return key
	}
	return d.unique("k-")
}

func (f *furthers) newKey(d *drawer) string {
	if len(f.all) > 0 && d.next()&1 == 0 {
		return f.all[d.below(len(f.all))].name
	}
	return d.unique("k-")
}

// drawEntry draws the value for a key. If another version has a property of that name, half of
// the values have its type, if possible.
func (f *furthers) drawEntry(d *drawer, n node, key string, p unsafe.Pointer) {
	named := slices.DeleteFunc(slices.Clone(f.all), func(o further) bool { return o.name != key })
	if _, free := n.(*furtherEntry); len(named) > 0 && free && d.next()&1 == 0 {
		d.budget--
		text, _ := json.Marshal(d.sample(named[d.below(len(named))].of, 3)) // the sample has only values that JSON can represent
		*(*[]byte)(p) = text
		return
	}
	n.draw(d, p, true)
}

// sample returns a value for a type, sometimes with an additional member that objects of the type
// do not have.
func (d *drawer) sample(of reflect.Type, depth int) any {
	switch {
	case of.Kind() == reflect.Pointer:
		return d.sample(of.Elem(), depth)
	case of.Kind() == reflect.String:
		return d.unique("s-")
	case of.Kind() == reflect.Bool:
		return d.next()&1 == 0
	case of.Kind() == reflect.Float64:
		return 0.25 * float64(d.below(1000))
	case isFree(of) || depth == 0 && isContainer(of):
		return map[string]any{"m": d.below(9)}
	case of.Kind() == reflect.Slice:
		return d.sampleList(of.Elem(), depth-1)
	case of.Kind() == reflect.Map:
		return map[string]any{d.unique("k-"): d.sample(of.Elem(), depth-1)}
	case of.Kind() != reflect.Struct:
		return d.below(1000)
	}
	out := map[string]any{}
	for i := range of.NumField() {
		if name := jsonName(of.Field(i)); name != "-" && name != "" && d.next()&1 == 0 {
			out[name] = d.sample(of.Field(i).Type, depth-1)
		}
	}
	if d.next()&3 == 0 {
		out[d.key(anyDict)] = d.below(9)
	}
	return out
}

// sampleList returns a list for a type of elements. An eighth of the lists also have an element of
// any other type.
func (d *drawer) sampleList(elem reflect.Type, depth int) []any {
	list := []any{d.sample(elem, depth)}
	if d.next()&7 == 0 {
		list = slices.Insert(list, d.below(2), any(json.RawMessage(d.free())))
	}
	return list
}

func isContainer(of reflect.Type) bool {
	return of.Kind() == reflect.Slice || of.Kind() == reflect.Map || of.Kind() == reflect.Struct
}

func (f *furthers) own() *furthers { return f }

// collectFurthers adds the properties of all structs within a type to named, by the names of the
// structs.
func collectFurthers(named map[string][]further, of reflect.Type, seen map[reflect.Type]bool) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		collectFurthers(named, of.Elem(), seen)
		return
	case reflect.Struct:
	default:
		return
	}
	if seen[of] || strings.HasPrefix(of.PkgPath(), "k8s.io/") {
		return
	}
	seen[of] = true
	for i := range of.NumField() {
		f := of.Field(i)
		if name := jsonName(f); name != "-" && name != "" && f.IsExported() {
			named[of.Name()] = append(named[of.Name()], further{name, f.Type})
		}
		collectFurthers(named, f.Type, seen)
	}
}

// nameFurthers sets the properties of other versions in all open objects within n.
func (n *object) nameFurthers(named map[string][]further, seen map[node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	for i := range n.fields {
		if open, ok := n.fields[i].node.(interface{ own() *furthers }); ok && n.fields[i].name == "AdditionalProperties" {
			own := open.own()
			for _, f := range named[n.of.Name()] {
				if !slices.ContainsFunc(n.fields, func(g field) bool { return g.tag == f.name }) {
					own.all = append(own.all, f)
				}
			}
		}
		if inner, _ := objectIn(n.fields[i].node); inner != nil {
			inner.nameFurthers(named, seen)
		}
	}
}

// takeNames records the properties of an open object for its additional members, which cannot
// have the same names.
func (n *object) takeNames() {
	for i := range n.fields {
		open, ok := n.fields[i].node.(interface{ own() *furthers })
		if !ok || n.fields[i].name != "AdditionalProperties" {
			continue
		}
		for j := range n.fields {
			name := n.fields[j].tag
			if stored := storedName(name); stored != name && slices.ContainsFunc(n.fields, func(f field) bool { return f.rare }) {
				name = name[1:] // storage has one more $
			}
			open.own().taken = append(open.own().taken, name)
		}
	}
}
