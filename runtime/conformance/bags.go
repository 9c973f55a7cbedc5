package conformance

import (
	"maps"
	"slices"
	"unsafe"
)

// eachBag visits the property bags of the objects within the value at p.
func eachBag(n node, p unsafe.Pointer, visit func(bag *map[string][]byte)) {
	everywhere := func(*object, unsafe.Pointer, *field) bool { return true }
	eachBagOf(n, p, everywhere, func(_ *object, bag *map[string][]byte) { visit(bag) })
}

// eachBagOf visits property bags with the objects that have them, in the fields that enters
// selects.
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

// withoutCovers returns the entries of a property bag that hide something by themselves.
func withoutCovers(bag map[string][]byte) map[string][]byte {
	if bag[coveredName] == nil {
		return bag
	}
	bag = maps.Clone(bag)
	delete(bag, coveredName)
	return bag
}

// hidingIn returns the entries of a property bag that hide something, but for what the additional
// members of names cover.
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

// dropMembers takes members out of an entry of a bag.
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

// withoutLive is a bag without the values of additional members that are there: what hides under a
// name goes when the member is written.
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

// furtherTexts are the additional members of the open object at p, as JSON.
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
