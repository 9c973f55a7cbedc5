package conformance

import (
	"maps"
	"slices"
	"strings"
)

// lostParts returns the names of additional members whose objects lost hidden values that belong
// to members that the client did not write. Was and is are the property bags of an object before
// and after a write, and before and after its additional members.
func lostParts(was, is map[string][]byte, before, after map[string]string) (lost []string) {
	covers, _ := readValue(was[coveredName]).(map[string]any)
	now, _ := readValue(is[coveredName]).(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(covers)) {
		c := coverOf(covers[name])
		visible, ok := readValue([]byte(after[name])).(map[string]any)
		stored, isObject := c.stored[c.key].(map[string]any)
		seen, wasObject := readValue([]byte(before[name])).(map[string]any)
		if !ok || !isObject || !wasObject || !isMemberKey(c.key) || !isOrdinary(visible) || !isOrdinary(seen) {
			continue
		}
		kept, _ := coverOf(now[name]).stored[c.key].(map[string]any)
		if !keeps(stored, kept, seen, visible) {
			lost = append(lost, name)
		}
	}
	return lost
}

// coverEntry is the cover of an additional member.
type coverEntry struct {
	key    string
	stored map[string]any
}

func coverOf(value any) (c coverEntry) {
	members, _ := value.(map[string]any)
	c.key, _ = members["key"].(string)
	c.stored, _ = members["stored"].(map[string]any)
	return c
}

// isOrdinary reports whether a value has no nulls, and no names that have another form in
// storage. An object with these would change in a conversion through a type, and is stored as a
// whole.
func isOrdinary(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if strings.HasSuffix(name, bagName) || !isOrdinary(member) {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(v, func(element any) bool { return !isOrdinary(element) })
	}
	return value != nil
}

// keeps reports whether a stored object still has its hidden values, except those of members that
// the client wrote. Seen and visible are the object as the client read and wrote it. keeps ignores
// lists.
func keeps(was, is, seen, visible map[string]any) bool {
	bag, _ := was[bagName].(map[string]any)
	now, _ := is[bagName].(map[string]any)
	for key, value := range bag {
		switch name := namedBy(key); {
		case key == furtherName || key == coveredName || key == namedName || ownKey.MatchString("$"+key):
			if members, ok := value.(map[string]any); ok && !keepsMembers(members, now[key], seen, visible) {
				return false
			}
		case isMarkedKey(key) && isAsSeen(name, seen, visible) && !sameValue(value, now[key]):
			return false
		}
	}
	for name, before := range seen {
		inner, ok := stored(was, name).(map[string]any)
		wasSeen, isObject := before.(map[string]any)
		isVisible, still := visible[name].(map[string]any)
		if !ok || !isObject || !still {
			continue
		}
		kept, _ := stored(is, name).(map[string]any)
		if !keeps(inner, kept, wasSeen, isVisible) {
			return false
		}
	}
	return true
}

func keepsMembers(was map[string]any, is any, seen, visible map[string]any) bool {
	now, _ := is.(map[string]any)
	for name, value := range was {
		if isAsSeen(name, seen, visible) && !sameValue(value, now[name]) {
			return false
		}
	}
	return true
}

// isAsSeen reports whether a client did not write a member.
func isAsSeen(name string, seen, visible map[string]any) bool {
	was, before := seen[name]
	is, after := visible[name]
	return before == after && sameValue(was, is)
}

// stored returns a member of a stored object or of its bag.
func stored(object map[string]any, name string) any {
	if value, live := object[name]; live {
		return value
	}
	bag, _ := object[bagName].(map[string]any)
	return bag[name]
}
