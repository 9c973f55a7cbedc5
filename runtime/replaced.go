package runtime

import (
	"maps"
	"unsafe"
)

// replaced is what lies in the property bag of an open object under the names of its additional members, and goes when a
// client writes one of these. It is the text of the tag "replaces" of a storage type's AdditionalProperties, in the notation
// of [Expression].Lacks: name(key,key) lists the keys of a property that other versions name, !name is a member that is
// another property, and * takes all others out of $additionalProperties.
//
// Steps between versions know this from [Lower]. What a client writes through the API version of a storage type itself goes
// through no step.
type replaced struct {
	keys map[string][]string
	// foreign are the names of other properties.
	foreign map[string]bool
	// all is set where $additionalProperties has single members.
	all bool
}

// parseReplaced reads a tag. Of one that is not well formed it takes what stands before the fault.
func parseReplaced(text string) *replaced {
	out := &replaced{keys: map[string][]string{}, foreign: map[string]bool{}}
	for r := (trieReader{text: text}); r.text != ""; r.take(",") {
		switch {
		case r.take("*"):
			out.all = true
		case r.take("!"):
			name, ok := r.name()
			if !ok {
				return out
			}
			out.foreign[name] = true
		default:
			name, ok := r.name()
			if !ok || !r.take("(") {
				return out
			}
			for !r.take(")") {
				key, ok := r.name()
				if !ok {
					return out
				}
				out.keys[name] = append(out.keys[name], key)
				r.take(",")
			}
		}
	}
	return out
}

// settleMembers removes from the bag of the open object at p what lies under additional members that a client has written or
// removed: covers of members that are gone, or show something else, and what other versions have under the names of
// members that are there.
func (s *shape) settleMembers(p unsafe.Pointer) {
	bag := s.bagAt(p)
	if len(*bag) == 0 {
		return
	}
	m := s.more.shape.namedMembers(unsafe.Add(p, s.more.offset))
	covers := m.keptCovers(*bag)
	if s.replaces != nil {
		m.forget(*bag, s.replaces, covers)
	}
	if len(*bag) == 0 {
		*bag = nil
	}
}

// keptCovers drops covers of members that are gone or have changed, and returns the others.
func (m *namedMembers) keptCovers(bag PropertyBag) map[string]cover {
	if _, found := bag[coveredName]; !found {
		return nil
	}
	covers := entriesOf[cover](bag, coveredName)
	maps.DeleteFunc(covers, func(name string, c cover) bool {
		value := m.textUpTo(name, longestSpelling(c.Shown))
		return value == nil || !isSame(orNull(c.Shown), value) && !isSame(orNull(c.Shown), m.shape.elem.inAPI(value))
	})
	setEntries(bag, coveredName, covers)
	return covers
}

// longestSpelling is how long JSON may be that says the same as a value: clients may spell a character as an escape. Covers of
// objects within each other that a hostile bag has would else have every member written once for each object around it.
func longestSpelling(value JSON) int {
	const times, some = 8, 64
	return times*len(value) + some
}

// forget removes what other versions have under the names of members, but for those that cover it.
func (m *namedMembers) forget(bag PropertyBag, r *replaced, covers map[string]cover) {
	rest, waiting := membersIn(bag, moreName, r.all), membersIn(bag, namedName, true)
	changed := false
	for entries := m.shape.dict(m.at).MapRange(); entries.Next(); {
		name := entries.Key().String()
		if _, covered := covers[name]; covered || r.foreign[name] {
			continue
		}
		for _, key := range r.keys[name] {
			delete(bag, key)
		}
		for _, members := range []map[string]JSON{rest, waiting} {
			if _, found := members[name]; found {
				delete(members, name)
				changed = true
			}
		}
	}
	if !changed {
		return
	}
	if r.all {
		setEntries(bag, moreName, rest)
	}
	setEntries(bag, namedName, waiting)
}

// membersIn are those of an entry of a bag, if they are asked for.
func membersIn(bag PropertyBag, key string, wanted bool) map[string]JSON {
	if _, found := bag[key]; !found || !wanted {
		return nil
	}
	return entriesOf[JSON](bag, key)
}
