package conformance

import (
	"maps"
	"slices"
	"strings"
	"unsafe"
)

// eachBag calls visit for the property bags of the objects within the value at p.
func eachBag(n node, p unsafe.Pointer, visit func(bag *map[string][]byte)) {
	everywhere := func(*object, unsafe.Pointer, *field) bool { return true }
	eachBagOf(n, p, everywhere, func(_ *object, bag *map[string][]byte) { visit(bag) })
}

// eachBagOf calls visit for the property bags within a value, with the objects that have them. It
// descends only into the fields for which enters returns true.
func eachBagOf(n node, p unsafe.Pointer, enters func(of *object, at unsafe.Pointer, f *field) bool, visit func(of *object, bag *map[string][]byte)) {
	inner, _ := objectIn(n)
	n.within(p, func(object unsafe.Pointer) {
		for i := range inner.fields {
			f := &inner.fields[i]
			if f.rare {
				visit(inner, (*map[string][]byte)(unsafe.Add(object, f.offset)))
			} else if !isPlain(f.node) && enters(inner, object, f) {
				eachBagOf(f.node, unsafe.Add(object, f.offset), enters, visit)
			}
		}
	})
}

func putEntry(bag *map[string][]byte, key string, value []byte) {
	if *bag == nil {
		*bag = map[string][]byte{}
	}
	(*bag)[key] = value
}

// hiddenValues returns the entries of a property bag without its covers, and without the records of
// hand-written steps, which describe what the object shows.
func hiddenValues(bag map[string][]byte) map[string][]byte {
	bag = maps.Clone(bag)
	maps.DeleteFunc(bag, func(key string, _ []byte) bool {
		return key == coveredName || strings.HasPrefix(key, recordPrefix)
	})
	return bag
}

// recordPrefix begins the keys of what hand-written steps record.
const recordPrefix = "$shown@"

// hidingIn returns the entries of a property bag, without the covers of the additional members in
// names.
func hidingIn(bag unsafe.Pointer, names []string) map[string][]byte {
	entries := *(*map[string][]byte)(bag)
	if entries[coveredName] == nil {
		return entries
	}
	entries = maps.Clone(entries)
	dropMembers(entries, coveredName, names)
	if len(entries) == 0 {
		return nil
	}
	return entries
}

// dropMembers removes members from an entry of a bag.
func dropMembers(bag map[string][]byte, key string, names []string) {
	members, ok := readValue(bag[key]).(map[string]any)
	if !ok {
		return
	}
	maps.DeleteFunc(members, func(name string, _ any) bool { return slices.Contains(names, name) })
	if bag[key] = []byte(jsonText(members)); len(members) == 0 {
		delete(bag, key)
	}
}

// withoutLive returns a bag without the values of the additional members in names. A write of
// such a member removes the values hidden under its name.
func withoutLive(bag map[string][]byte, names []string) map[string][]byte {
	if len(names) == 0 || len(bag) == 0 {
		return bag
	}
	bag = maps.Clone(bag)
	for key := range bag {
		switch {
		case slices.ContainsFunc(names, func(name string) bool { return storedName(name) == namedBy(key) }):
			delete(bag, key)
		case key == furtherName || key == namedName:
			dropMembers(bag, key, names)
		}
	}
	if len(bag) == 0 {
		return nil
	}
	return bag
}

// furtherTexts returns the additional members of the open object at p as JSON.
func (o *object) furtherTexts(p unsafe.Pointer) map[string]string {
	out := map[string]string{}
	for i := range o.fields {
		if o.fields[i].name != "AdditionalProperties" {
			continue
		}
		f, _ := o.of.FieldByName("AdditionalProperties")
		data, err := newEncoder().encode(at(f.Type, unsafe.Add(p, o.fields[i].offset)))
		members, ok := readValue(data).(map[string]any)
		if err != nil || !ok {
			continue
		}
		for name, value := range members {
			out[name] = jsonText(value)
		}
	}
	return out
}
