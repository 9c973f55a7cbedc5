package conformance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// proveExpressed checks of a hub object that was created through a version, and that nobody has
// edited since, that the version can express all of its spec.
func (c *chain) proveExpressed(l *link, h unsafe.Pointer) error {
	limited, may := at(c.hub.store, h).(interface{ Unexpressed() []string })
	if original, known := c.original(h); !may || !known || original != l.label || !c.tellsLost(h, l) {
		return nil
	}
	if lacks := limited.Unexpressed(); len(lacks) > 0 {
		return fmt.Errorf("%s: what was created through it is said to lack %q\nh is %s", l.label, lacks, describeUpTo(c.hub.store, h, 2000))
	}
	return nil
}

// tellsLost reports whether the law knows what versions lack of a hub's spec. A version may show
// all of an additional member, and what is stored of it still be more.
func (c *chain) tellsLost(h unsafe.Pointer, versions ...*link) bool {
	covers := func(l *link) bool { return c.covers(l, h) }
	return !slices.ContainsFunc(versions, covers) && !c.namesObjects(h, append(versions, c.hub)...)
}

// separator stands between the steps of a path.
const separator = "\x00"

// lostPlaces are paths in the JSON of a hub's spec.
type lostPlaces []string

// lost finds what is lost of a hub's spec if nothing is left of it but what a version has beside
// its bags, and the values that it could not read itself.
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
	if sameValue(before, after) {
		return
	}
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

// within reports whether each place is one of others, or lies within one of these.
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

// without leaves out the entries of bags with the names of some members.
func (l lostPlaces) without(names map[string]bool) lostPlaces {
	return slices.DeleteFunc(slices.Clone(l), func(place string) bool {
		_, entry, within := strings.Cut(place, separator+bagName+separator)
		key, _, _ := strings.Cut(entry, separator)
		return within && names[keyName(key)]
	})
}
