package operation

import (
	"cmp"
	"slices"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// entry is an object with its key, as maps in storage have it: see [bag.StoredName]. Value is the
// JSON of the object, in a list or in a map.
type entry struct {
	key   string
	value runtime.JSON
	at    int // the position in the list
}

func byKey(a, b entry) int { return cmp.Compare(a.key, b.key) }

// keyed returns the map of the objects in a list, sorted by their keys.
func keyed(name string, value runtime.JSON) runtime.JSON {
	all, ok := elements(name, value)
	if !ok {
		return nil
	}
	slices.SortStableFunc(all, byKey)
	out := append(make(runtime.JSON, 0, len(value)), '{')
	for i, e := range all {
		if i > 0 && all[i-1].key == e.key {
			return nil
		}
		out = append(jsontext.AppendText(jsontext.Separate(out), e.key), ':', '{')
		out = append(appendOthers(out, name, e.value), '}')
	}
	return append(out, '}')
}

// unkeyed returns the list of the objects in a map, in the order of the list before.
func unkeyed(name string, value, before runtime.JSON) runtime.JSON {
	var all []entry
	ok := true
	isObject := jsontext.EachMember(value, func(key []byte, of runtime.JSON) {
		ok = ok && of[0] == '{' && member(name, of) == nil
		all = append(all, entry{key: string(key), value: of, at: -1})
	})
	if !ok || !isObject {
		return nil
	}
	slices.SortStableFunc(all, byKey)
	out := append(make(runtime.JSON, 0, len(value)+len(all)*(len(name)+len(`"":,`))), '[')
	for _, e := range ordered(all, name, before) {
		out = append(jsontext.AppendText(append(jsontext.Separate(out), '{'), name), ':')
		out = append(appendOthers(jsontext.AppendText(out, bag.APIName(e.key)), name, e.value), '}')
	}
	return append(out, ']')
}

// ordered sorts objects, which are sorted by their keys, as a list has them. Those that it lacks
// are last.
func ordered(all []entry, name string, before runtime.JSON) []entry {
	list, _ := elements(name, before)
	for i, e := range slices.Backward(list) {
		if at, found := slices.BinarySearchFunc(all, e, byKey); found {
			all[at].at = i
		}
	}
	position := func(e entry) int {
		if e.at < 0 {
			return len(list)
		}
		return e.at
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(position(a), position(b)) })
	return all
}

// elements returns the objects of a list with their keys. It reports false if the value is no list
// of objects that all have a key.
func elements(name string, value runtime.JSON) (all []entry, ok bool) {
	c := jsontext.Cursor{Data: value}
	if !c.Take('[') {
		return nil, false
	}
	all = make([]entry, 0, c.CountElements())
	for c.More(']') {
		of := c.Raw()
		key, ok := textOf(member(name, of))
		if !ok {
			return nil, false
		}
		all = append(all, entry{key: bag.StoredName(key), value: of})
	}
	return all, true
}

// appendOthers appends the members of an object except one, after what out has in an object.
func appendOthers(out runtime.JSON, name string, object runtime.JSON) runtime.JSON {
	jsontext.EachMember(object, func(other []byte, of runtime.JSON) {
		if string(other) != name {
			out = append(append(jsontext.AppendText(jsontext.Separate(out), string(other)), ':'), of...)
		}
	})
	return out
}
