package conformance

import (
	"maps"
	"reflect"
	"slices"
	"unsafe"
)

// isAdopted reports whether two hub objects differ only in entries of property bags that a live
// value has replaced. Spoiled has unreadable entries, and again is what came back through the
// object y of an API version. A live value wins over an entry under its key. So again has the value
// of a member of y under that key. The entry of another key of the same property, from which y took
// that value, is then absent.
func (c *chain) isAdopted(l *link, spoiled, again, y unsafe.Pointer) bool {
	store := c.hub.programs.store
	expected := store.copy(spoiled)
	before, after := bagsWithin(store.root, expected), bagsWithin(store.root, again)
	text, err := newEncoder().encode(reflect.NewAt(l.api, y).Interface())
	if err != nil || len(before) != len(after) {
		return false
	}
	visible := map[string]map[string]bool{}
	collectVisible(visible, readValue(text))
	replaced := false
	for i := range before {
		replaced = takeOver(before[i], after[i], visible) || replaced
	}
	return replaced && store.compare(comparison{soft: c.own}, again, expected) == nil
}

// bagsWithin returns the property bags within a value, in the order of its objects.
func bagsWithin(n node, p unsafe.Pointer) (bags []map[string][]byte) {
	eachBag(n, p, func(bag *map[string][]byte) { bags = append(bags, *bag) })
	return bags
}

// collectVisible adds the values of all members of a JSON value to visible, as JSON, by name.
func collectVisible(visible map[string]map[string]bool, value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			collectVisible(visible, element)
		}
	case map[string]any:
		for name, member := range value {
			if visible[name] == nil {
				visible[name] = map[string]bool{}
			}
			visible[name][jsonText(member)] = true
			collectVisible(visible, member)
		}
	}
}

// takeOver replaces the entries of bag that have a visible value in after, and removes the entries
// from which these values came. It reports whether it replaced any.
func takeOver(bag, after map[string][]byte, visible map[string]map[string]bool) (replaced bool) {
	for _, key := range slices.Sorted(maps.Keys(bag)) {
		is, found := after[key]
		text := jsonText(readValue(is))
		if !found || string(is) == string(bag[key]) || !visible[memberName(key)][text] {
			continue
		}
		bag[key], replaced = is, true
		for other, entry := range bag {
			if _, kept := after[other]; !kept && namedBy(other) == namedBy(key) && jsonText(readValue(entry)) == text {
				delete(bag, other)
			}
		}
	}
	return replaced
}
