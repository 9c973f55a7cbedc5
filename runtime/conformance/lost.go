package conformance

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// tellsLost reports whether the law can determine which values of a hub's spec versions lack. A
// version may show a complete additional member while its stored value has more.
func (c *chain) tellsLost(h unsafe.Pointer, versions ...*link) bool {
	covers := func(l *link) bool { return c.covers(l, h) }
	return !slices.ContainsFunc(versions, covers) && !c.namesObjects(h, append(versions, c.hub)...)
}

// covers reports whether additional members of a version's storage object have covers, or are
// stored in bags because the version names them. The law cannot determine which values these are.
func (c *chain) covers(l *link, h unsafe.Pointer) (covers bool) {
	s, err := l.descend(h)
	spec, missing := l.programs.store.find("Spec")
	if err != nil || missing != nil {
		return false
	}
	eachBag(spec.node, unsafe.Add(s, spec.offset), func(bag *map[string][]byte) {
		covers = covers || coversMore((*bag)[coveredName]) || c.hasNamed((*bag)[furtherName]) || c.hasNamed((*bag)[namedName])
	})
	return covers
}

// namesObjects reports whether additional members of a hub's spec are objects that some version
// names. It searches the spec in each of the versions, and its property bags. For such objects
// the runtime's list has their kind, and not their members.
func (c *chain) namesObjects(h unsafe.Pointer, versions ...*link) (names bool) {
	for _, l := range versions {
		spec, err := l.programs.store.find("Spec")
		s, failed := l.descend(h)
		if err != nil || failed != nil {
			continue
		}
		spec.node.within(unsafe.Add(s, spec.offset), func(p unsafe.Pointer) { names = names || c.namesObjectsIn(spec.node, p) })
	}
	return names
}

// namesObjectsIn is namesObjects for the object at p and the objects within it.
func (c *chain) namesObjectsIn(n node, p unsafe.Pointer) bool {
	o, _ := objectIn(n)
	for name, text := range o.furtherTexts(p) {
		if c.named[name] && (text[0] == '{' || text[0] == '[') {
			return true
		}
	}
	found := false
	for i := range o.fields {
		f := &o.fields[i]
		if f.rare {
			bag := *(*map[string][]byte)(unsafe.Add(p, f.offset))
			found = found || c.hasNamed(bag[namedName]) || c.hasNamed(bag[furtherName])
		}
		if inner, _ := objectIn(f.node); inner != nil && !f.rare {
			f.node.within(unsafe.Add(p, f.offset), func(p unsafe.Pointer) { found = found || c.namesObjectsIn(f.node, p) })
		}
	}
	return found
}

// coversMore reports whether covers of additional members have more values than the members show.
func coversMore(entry []byte) bool {
	covers, _ := readValue(entry).(map[string]any)
	for _, c := range covers {
		c, _ := c.(map[string]any)
		stored, _ := c["stored"].(map[string]any)
		key, _ := c["key"].(string)
		if len(stored) != 1 || !sameValue(stored[key], c["shown"]) {
			return true
		}
	}
	return false
}

// hasNamed reports whether an entry of a bag has an additional member with the name of a
// version's property.
func (c *chain) hasNamed(entry []byte) bool {
	members, _ := readValue(entry).(map[string]any)
	for name := range members {
		if c.named[name] {
			return true
		}
	}
	return false
}

// separator separates the steps of a path.
const separator = "\x00"

// lostPlaces are paths in the JSON of a hub's spec.
type lostPlaces []string

func (l lostPlaces) String() string {
	return strings.ReplaceAll(strings.Join(l, ", "), separator, ".")
}

// lost returns the paths of a hub's spec that are lost if a version loses its property bags,
// except for its own raw values.
func (c *chain) lost(l *link, h unsafe.Pointer) (lostPlaces, error) {
	s, err := l.descend(h)
	if err != nil {
		return nil, err
	}
	s = l.programs.store.copy(s)
	spec, err := l.programs.store.find("Spec")
	if err != nil {
		return nil, err
	}
	own := func(key string, _ []byte) bool {
		return !strings.Contains(key, "@"+l.label+"!")
	}
	eachBag(spec.node, unsafe.Add(s, spec.offset), func(bag *map[string][]byte) {
		maps.DeleteFunc(*bag, own)
		if len(*bag) == 0 {
			*bag = nil
		}
	})
	again, err := l.climb(s)
	if err != nil {
		return nil, err
	}
	before, err := c.specOf(h)
	after, err2 := c.specOf(again)
	var out lostPlaces
	out.compare(before, after, "")
	return out, errors.Join(err, err2)
}

func (c *chain) specOf(h unsafe.Pointer) (any, error) {
	data, err := c.encode(at(c.hub.store, h))
	if err != nil {
		return nil, err
	}
	root, _ := readValue(data).(map[string]any)
	remove(root["spec"], "originalVersion")
	return root["spec"], nil
}

func (l *lostPlaces) compare(before, after any, at string) {
	switch before := before.(type) {
	case map[string]any:
		after, same := after.(map[string]any)
		if !same {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(before)) {
			value, has := after[name]
			if !has && name == bagName {
				value, has = map[string]any{}, true
			}
			l.member(before[name], value, has, at+separator+name)
		}
		return
	case []any:
		after, same := after.([]any)
		if !same {
			break
		}
		for i, element := range before {
			if i < len(after) {
				l.compare(element, after[i], at+separator+strconv.Itoa(i))
			} else {
				*l = append(*l, at+separator+strconv.Itoa(i))
			}
		}
		return
	default:
		if sameValue(before, after) {
			return
		}
	}
	*l = append(*l, at)
}

func (l *lostPlaces) member(before, after any, has bool, at string) {
	if has {
		l.compare(before, after, at)
	} else {
		*l = append(*l, at)
	}
}

// within reports whether each place is one of others, or below one of these.
func (l lostPlaces) within(others lostPlaces) bool {
	for _, place := range l {
		found := false
		for _, other := range others {
			found = found || place == other || strings.HasPrefix(place, other+separator)
		}
		if !found {
			return false
		}
	}
	return true
}

// without removes the entries of bags that have the names of some members.
func (l lostPlaces) without(names map[string]bool) lostPlaces {
	return slices.DeleteFunc(slices.Clone(l), func(place string) bool {
		_, entry, within := strings.Cut(place, separator+bagName+separator)
		key, _, _ := strings.Cut(entry, separator)
		return within && names[keyName(key)]
	})
}
