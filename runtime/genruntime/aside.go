package genruntime

import "github.com/stratakube/strata/runtime"

// inBag returns a value of the property's kind, as clients write it, as it lies in bags: with what property bags have that it
// replaces, and with members at the keys of the versions that have them. Was is the value that it replaces, nil for none.
func (f *Further) inBag(value, was runtime.JSON) runtime.JSON {
	stored := f.stored(value)
	if was != nil {
		stored = f.withKept(stored, was)
	}
	if free := f.free(); free == nil || !f.hasNames() {
		return stored
	}
	a := asider{cursor{data: stored, jumps: jumpsIn(stored)}}
	return a.value(make(runtime.JSON, 0, len(stored)), f.names())
}

// asider moves members of objects into property bags, where the type of the object has another kind of value under their name,
// and a version that has this kind reads it from a bag.
type asider struct{ cursor }

// value steps over a value, and writes it.
func (a *asider) value(out []byte, i item) []byte {
	switch first := a.peek(); {
	case i.isFree() || first != '[' && first != '{':
		return append(out, a.raw()...)
	case first == '[':
		out = append(out, '[')
		for a.take('['); a.more(']'); {
			out = a.value(separated(out), i)
		}
		return append(out, ']')
	case i.maps == 0:
		return a.object(out, i.inner)
	}
	out = append(out, '{')
	for a.take('{'); a.more('}'); {
		out = a.value(a.named(out), item{i.inner, i.maps - 1})
	}
	return append(out, '}')
}

// named writes the name of the member at hand as it is spelled.
func (a *asider) named(out []byte) []byte {
	out = append(separated(out), a.raw()...)
	a.take(':')
	return append(out, ':')
}

func (a *asider) object(out []byte, t *trie) []byte {
	var bag runtime.JSON
	var aside []namedJSON
	out = append(out, '{')
	for a.take('{'); a.more('}'); {
		start := a.at
		name := string(a.name())
		if name == bagName {
			bag = a.raw()
			continue
		}
		if t.mayBeAside(name) {
			value := a.raw()
			if t.isAside(name, value) {
				aside = append(aside, namedJSON{memberKey(name), value})
				continue
			}
		}
		a.at = start
		out = a.named(out)
		if i, listed := t.member(name); listed && i.inner == nil && i.maps == 0 {
			out = append(out, a.raw()...)
		} else {
			out = a.value(out, i)
		}
	}
	return append(appendBag(out, aside, bag), '}')
}

// appendBag appends a property bag with entries before those that it has; nothing where there are none.
func appendBag(out []byte, entries []namedJSON, bag runtime.JSON) []byte {
	if len(entries) == 0 && bag == nil {
		return out
	}
	out = append(append(separated(out), bagMark...), ':', '{')
	for _, e := range entries {
		out = append(append(appendText(separated(out), e.name), ':'), e.value...)
	}
	eachMember(bag, func(name []byte, value runtime.JSON) {
		out = append(append(appendText(separated(out), string(name)), ':'), value...)
	})
	return append(out, '}')
}

// mayBeAside reports whether the list has a kind for the key of a member's name.
func (t *trie) mayBeAside(name string) bool {
	if t == nil || len(t.keys) == 0 {
		return false
	}
	key, found := t.keys[memberKey(name)]
	return found && key.maps == 0 && key.inner != nil && key.inner.kind != "" && key.inner.kind != "a"
}

// isAside reports whether a member's value is of the kind of that key, and not of the kind that the type has.
func (t *trie) isAside(name string, value runtime.JSON) bool {
	if !t.keys[memberKey(name)].inner.takes(value) {
		return false
	}
	own, listed := t.items[name]
	return !listed || own.maps == 0 && own.inner != nil && (own.inner.kind == "" || !own.inner.takes(value))
}
