package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// damage replaces entries in the property bags of a hub object by JSON that another program might
// have written. It also adds entries that no version knows. It changes the object in place.
func (c *chain) damage(h unsafe.Pointer) {
	eachBagOf(c.hub.programs.store.root, h, mayDamage, func(of *object, bag *map[string][]byte) {
		for _, key := range slices.Sorted(maps.Keys(*bag)) {
			if c.next()&1 != 0 {
				continue
			}
			switch entry := (*bag)[key]; {
			case ofFurthers[key] && c.next()&1 == 0:
				(*bag)[key] = c.noObject(entry)
			case !c.isFurther(of, key):
				(*bag)[key] = c.foreign(entry)
			}
		}
		if c.next()&7 == 0 {
			putEntry(bag, "foreign@v1999", c.free())
		}
		if key := c.listOf(of); key != "" && c.next()&3 == 0 {
			putEntry(bag, key, fmt.Appendf(nil, "[[%d,[%s]]]", c.below(3), c.free()))
		}
	})
}

// listOf returns a key for elements of the wrong type in one of an object's lists. It returns an
// empty string if the object has no list.
func (c *chain) listOf(of *object) string {
	var lists []string
	for i := range of.fields {
		if _, ok := of.fields[i].node.(*list); ok && !strings.HasPrefix(of.fields[i].tag, "$") {
			lists = append(lists, of.fields[i].tag)
		}
	}
	if len(lists) == 0 {
		return ""
	}
	return lists[c.below(len(lists))] + "@" + c.links[c.below(len(c.links))].label + "!elements!raw"
}

// mayDamage reports whether damage may change the bags within a field of the object at p. If an
// additional member has a cover, changing it counts as an edit, which drops the cover.
func mayDamage(of *object, p unsafe.Pointer, f *field) bool {
	return f.name != "AdditionalProperties" || !slices.ContainsFunc(of.fields, func(f field) bool {
		return f.rare && (*(*map[string][]byte)(unsafe.Add(p, f.offset)))[coveredName] != nil
	})
}

// isFurther reports whether an entry of an object's bag belongs to additional members. Its key is
// one of those in ofFurthers, or, in an open object, that of a property which another version
// names. An open object shows such an entry if its value fits.
func (c *chain) isFurther(of *object, key string) bool {
	name, _, _ := strings.Cut(key, "@")
	open := slices.ContainsFunc(of.fields, func(f field) bool { return f.name == "AdditionalProperties" })
	visible := strings.TrimPrefix(name, "$") // storage may have one more $
	return ofFurthers[key] || open && (c.named[name] || storedName(visible) == name && c.named[visible])
}

// noObject returns JSON that is no object of additional members, in place of such an entry.
func (c *chain) noObject(entry []byte) []byte {
	switch c.below(3) {
	case 0:
		return slices.Concat([]byte("["), entry, []byte("]"))
	case 1:
		return []byte("12")
	default:
		return []byte(strconv.Quote("was damaged"))
	}
}

// foreign returns JSON in place of an entry: another value, or the same with an unknown member,
// in a list, or as a string.
func (c *chain) foreign(entry []byte) []byte {
	switch c.below(4) {
	case 0:
		return c.free()
	case 1:
		return slices.Concat([]byte("["), entry, []byte("]"))
	case 2:
		return []byte(strconv.Quote("was damaged"))
	}
	if len(entry) < 2 || entry[0] != '{' {
		return c.free()
	}
	if string(entry) == "{}" {
		return []byte(`{"unknownMember":1}`)
	}
	return append(slices.Clone(entry[:len(entry)-1]), `,"unknownMember":{"is":[1,2]}}`...)
}

// proveDamage checks that unreadable entries of bags survive, and that any status.propertyBag is
// tolerated. A live value may replace an entry under its key: the object with that value must
// satisfy the hub law. If there are hand-written steps to the hub, derived values may replace such
// an entry.
func (c *chain) proveDamage(l *link, h unsafe.Pointer) error {
	spoiled := c.hub.programs.store.copy(h)
	c.damage(spoiled)
	y, again, err := c.proveHubLaw(l, spoiled, false)
	if err != nil && again != nil && c.isAdopted(l, spoiled, again, y) {
		_, _, err = c.proveHubLaw(l, again, false)
	}
	c.proving = damageLaw
	if err != nil && !(len(l.augmented) > 0 && y != nil) {
		return fmt.Errorf("with damaged property bags: %w\nh is %s", err, describeUpTo(c.hub.store, spoiled, 2000))
	}
	l.atlas.tally(l.programs.api.root, y, damageLaw)
	return c.proveForged(l, y)
}

// proveForged writes an object with another status.propertyBag. The conversions must not fail. If
// the bag cannot be read, the visible values must not change. Forged bags that can be read are
// not compared, because API servers refuse such writes.
func (c *chain) proveForged(l *link, y unsafe.Pointer) error {
	read := l.programs.api.copy(y)
	bag := l.bagOf(read)
	if annotations := l.annotations(read); annotations != nil {
		if value, ok := (*annotations)[bagAnnotation]; ok {
			bag = new(*string)
			*bag = &value
		}
	}
	if bag == nil {
		return nil
	}
	forged, readable := c.forge(*bag)
	if *bag = &forged; l.bag == nil {
		l.setAnnotation(read, forged)
	}
	h, err := l.up(c, read)
	if err != nil {
		return fmt.Errorf("with status.propertyBag %s: %w", forged, err)
	}
	again, err := l.down(c, h)
	if err != nil {
		return fmt.Errorf("with status.propertyBag %s: %w", forged, err)
	}
	if diff := l.programs.api.compare(comparison{converted: true, soft: c.own}, again, read); diff != nil && !readable && !c.isStatusOf(l, read, again) {
		return fmt.Errorf("%s: with status.propertyBag %s: what users see is not what was written at %v", l.label, shorten(forged, 1000), diff)
	}
	return nil
}

// isStatusOf reports whether two objects differ at most in an empty status. A bag may record that
// there was none.
func (c *chain) isStatusOf(l *link, a, b unsafe.Pointer) bool {
	x, y := l.programs.api.slab.copy(a, 1), l.programs.api.slab.copy(b, 1)
	if _, ok := l.status.node.(*pointer); !ok {
		return false
	}
	for _, object := range []unsafe.Pointer{x, y} {
		status := (*unsafe.Pointer)(unsafe.Add(object, l.status.offset))
		if *status == nil {
			*status = l.status.node.(*pointer).slab.take(1)
		}
	}
	return l.programs.api.compare(comparison{converted: true}, x, y) == nil
}

// forge returns a text in place of a bag: an unrelated one, a truncated one, or one with a
// replaced value. Readable reports whether the text may still be a bag.
func (c *chain) forge(bag *string) (text string, readable bool) {
	if bag == nil || c.next()&3 == 0 {
		return forgeries[c.below(len(forgeries))], false
	}
	if c.next()&3 == 0 {
		return (*bag)[:c.below(len(*bag))], false
	}
	var value any
	if json.Unmarshal([]byte(*bag), &value) != nil {
		return *bag, true
	}
	return jsonText(c.tamper(value)), true
}

var forgeries = [...]string{
	"", " ", "{", "{}", "[]", "null", "0", `"text"`, `{"v":99}`, `{"spec":{"$propertyBag":1}}`, "[[[[[[[[[[[[[[[[[[[[[[[[[[[",
}

// tamper replaces one value, at any depth.
func (c *chain) tamper(value any) any {
	if c.next()&3 != 0 {
		switch v := value.(type) {
		case map[string]any:
			if len(v) > 0 {
				names := slices.Sorted(maps.Keys(v))
				name := names[c.below(len(names))]
				v[name] = c.tamper(v[name])
				return v
			}
		case []any:
			if len(v) > 0 {
				i := c.below(len(v))
				v[i] = c.tamper(v[i])
				return v
			}
		}
	}
	return json.RawMessage(c.free())
}
