package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unsafe"
)

// proveForgedCovers tests a hub object with covers of additional members that no conversion made.
// No conversion may fail, and plans must have the same result as Go types. A cover that does not
// belong to its member counts as an edit, so that the object may change. The changed object must
// satisfy the hub law, also after an edit. If no entry of a bag has a forged cover, the path law
// must hold, too. Only single steps read covers in such entries.
func (c *chain) proveForgedCovers(l *link, target *position, h unsafe.Pointer) error {
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

// proveStable checks that an object which no client can have written satisfies the hub law after
// one conversion there and back. If onAllPaths is set, it also checks the path law. It checks
// neither if hand-written steps may derive values again.
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

// proveStableEdit is proveStable for such an object after an edit.
func (c *chain) proveStableEdit(l *link, target *position, h unsafe.Pointer, onAllPaths bool) error {
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

// forgery reports where covers were forged: in the property bags of objects, or in the bags of
// objects within entries of these.
type forgery struct{ inBags, inEntries bool }

// forgeCovers adds covers to the property bags of a hub object, and to bags of objects within
// their entries. It changes the object in place.
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

// withForgedCover returns a property bag with a forged cover added.
func (c *chain) withForgedCover(bag map[string]any, names []string) map[string]any {
	if bag == nil {
		bag = map[string]any{}
	}
	covers, _ := bag[coveredName].(map[string]any)
	bag[coveredName] = c.withForged(covers, names)
	return bag
}

// withForged returns covers with a forged one. If the member already has a cover, the forged one
// shows the same, but has another stored value.
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
