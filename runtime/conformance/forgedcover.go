package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unsafe"
)

// proveForgedCovers checks a hub object with covers of additional members that no conversion has
// made. No conversion fails, and plans make of the object what Go types do. A cover that does not
// belong to its member counts as an edit of it, so that the object may come back as another one.
// What comes back obeys the hub law, also after an edit at a place. Where no cover lies in an
// object of a bag, the path law holds, too: single steps read such objects, and longer ones do not.
func (c *chain) proveForgedCovers(l *link, target *place, h unsafe.Pointer) error {
	c.proving = damageLaw
	forged := c.hub.programs.store.copy(h)
	made := c.forgeCovers(forged)
	if !made.inBags && !made.inEntries {
		return nil
	}
	err := c.proveStable(l, forged, !made.inEntries)
	if err == nil {
		err = c.proveStableEdit(l, target, forged, !made.inEntries)
	}
	if err != nil {
		return fmt.Errorf("with forged covers: %w\nh is %s", err, describeUpTo(c.hub.store, forged, 2000))
	}
	return nil
}

// proveStable checks that an object which no client can have written obeys the hub law once it has
// come back, and the path law if that is requested. Hand-written steps may derive something again.
func (c *chain) proveStable(l *link, h unsafe.Pointer, onAllPaths bool) error {
	y, err := l.down(c, h)
	if err != nil {
		return err
	}
	back, err := l.up(c, y)
	if err != nil {
		return err
	}
	if err := c.proveJSON(l, h, y, back); err != nil || len(l.augmented) > 0 {
		return err
	}
	if onAllPaths {
		if err := c.provePathLaw(l, h, y, back); err != nil {
			return err
		}
	}
	_, _, err = c.proveHubLaw(l, back, false)
	return err
}

// proveStableEdit checks the same of such an object that a client edits.
func (c *chain) proveStableEdit(l *link, target *place, h unsafe.Pointer, onAllPaths bool) error {
	w, err := c.write(l, h, target)
	if err != nil {
		return err
	}
	if err := c.proveJSONUp(l, w.after, w.hubNext); err != nil || len(l.augmented) > 0 {
		return err
	}
	if onAllPaths {
		if err := c.proveStepsUp(l, w.after, w.hubNext); err != nil {
			return err
		}
	}
	_, _, err = c.proveHubLaw(l, w.hubNext, false)
	return err
}

// forgery is where covers were forged: in property bags, and in bags of objects that lie in these.
type forgery struct{ inBags, inEntries bool }

// forgeCovers adds covers to the property bags of a hub object, whose memory is its own, and to
// bags of objects that lie in these.
func (c *chain) forgeCovers(h unsafe.Pointer) (made forgery) {
	names := slices.Sorted(maps.Keys(c.named))
	if len(names) == 0 {
		return made
	}
	inEntries := c.next()&1 == 0
	everywhere := func(*object, unsafe.Pointer, *field) bool { return true }
	eachBagOf(c.hub.programs.store.root, h, everywhere, func(_ *object, bag *map[string][]byte) {
		for _, key := range slices.Sorted(maps.Keys(*bag)) {
			value, isObject := readValue((*bag)[key]).(map[string]any)
			if !inEntries || !isObject || ofFurthers[key] || c.next()&1 != 0 {
				continue
			}
			inner, _ := value[bagName].(map[string]any)
			value[bagName] = c.withForgedCover(inner, names)
			(*bag)[key] = []byte(jsonText(value))
			made.inEntries = true
		}
		if c.next()&3 == 0 {
			covers, _ := readValue((*bag)[coveredName]).(map[string]any)
			putEntry(bag, coveredName, []byte(jsonText(c.withForged(covers, names))))
			made.inBags = true
		}
	})
	return made
}

// withForgedCover returns a property bag with a forged cover.
func (c *chain) withForgedCover(bag map[string]any, names []string) map[string]any {
	if bag == nil {
		bag = map[string]any{}
	}
	covers, _ := bag[coveredName].(map[string]any)
	bag[coveredName] = c.withForged(covers, names)
	return bag
}

// withForged returns covers with a forged one. A forged cover of a member that has one shows the
// same, but has another value instead.
func (c *chain) withForged(covers map[string]any, names []string) map[string]any {
	if covers == nil {
		covers = map[string]any{}
	}
	if covered := slices.Sorted(maps.Keys(covers)); len(covered) > 0 && c.next()&1 == 0 {
		names = covered
	}
	name := names[c.below(len(names))]
	key := [...]string{furtherName, namedName, name}[c.below(3)]
	cover, _ := covers[name].(map[string]any)
	if cover == nil {
		cover = map[string]any{"shown": json.RawMessage(c.free())}
	}
	cover["key"], cover["stored"] = key, map[string]any{key: json.RawMessage(c.free())}
	covers[name] = cover
	return covers
}
