package genruntime

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// inBag returns a value of the property's kind, as clients write it, as it lies in bags: with what
// property bags have that it replaces, and with members at the keys of the versions that have
// them. Was is the value that it replaces, nil for none.
func (f *Further) inBag(value, was runtime.JSON) runtime.JSON {
	stored := f.stored(value)
	if was != nil {
		stored = f.withKept(stored, was)
	}
	if free := f.free(); free == nil || !f.hasNames() {
		return stored
	}
	a := asider{jsontext.Cursor{Data: stored, Jumps: jsontext.FindJumps(stored)}}
	return a.value(make(runtime.JSON, 0, len(stored)), f.names())
}

// asider moves members of objects into property bags, where the type of the object has another
// kind of value under their name, and a version that has this kind reads it from a bag.
type asider struct{ jsontext.Cursor }

// value steps over a value, and writes it.
func (a *asider) value(out []byte, i item) []byte {
	switch first := a.Peek(); {
	case i.isFree() || first != '[' && first != '{':
		return append(out, a.Raw()...)
	case first == '[':
		out = append(out, '[')
		for a.Take('['); a.More(']'); {
			out = a.value(separated(out), i)
		}
		return append(out, ']')
	case i.maps == 0:
		return a.object(out, i.inner)
	}
	out = append(out, '{')
	for a.Take('{'); a.More('}'); {
		out = a.value(a.named(out), item{i.inner, i.maps - 1})
	}
	return append(out, '}')
}

// named writes the name of the member at hand as it is spelled.
func (a *asider) named(out []byte) []byte {
	out = append(separated(out), a.Raw()...)
	a.Take(':')
	return append(out, ':')
}

func (a *asider) object(out []byte, t *trie) []byte {
	var found runtime.JSON
	var aside []namedJSON
	out = append(out, '{')
	for a.Take('{'); a.More('}'); {
		start := a.At
		name := string(a.Name())
		if name == bag.Name {
			found = a.Raw()
			continue
		}
		if t.mayBeAside(name) {
			value := a.Raw()
			if a.isAside(t, name, value) {
				aside = append(aside, namedJSON{bag.MemberKey(name), value})
				continue
			}
		}
		a.At = start
		out = a.named(out)
		if i, listed := t.member(name); listed && i.inner == nil && i.maps == 0 {
			out = append(out, a.Raw()...)
		} else {
			out = a.value(out, i)
		}
	}
	return append(appendBag(out, aside, found), '}')
}

// appendBag appends a property bag with entries before those that it has; nothing where there are
// none.
func appendBag(out []byte, entries []namedJSON, was runtime.JSON) []byte {
	if len(entries) == 0 && was == nil {
		return out
	}
	out = append(append(separated(out), bag.QuotedName...), ':', '{')
	for _, e := range entries {
		out = append(append(jsontext.AppendText(separated(out), e.name), ':'), e.value...)
	}
	jsontext.EachMember(was, func(name []byte, value runtime.JSON) {
		if slices.ContainsFunc(entries, func(e namedJSON) bool { return e.name == string(name) }) {
			return // a value that was written wins
		}
		out = append(append(jsontext.AppendText(separated(out), string(name)), ':'), value...)
	})
	return append(out, '}')
}

// mayBeAside reports whether the list has a kind for the key of a member's name. An open object
// shows no entries of its bag, so that all of its members stay.
func (t *trie) mayBeAside(name string) bool {
	if t == nil || len(t.keys) == 0 || t.isOpen() {
		return false
	}
	key, found := t.keys[bag.MemberKey(name)]
	return found && key.maps == 0 && key.inner != nil && key.inner.kind != "" && key.inner.kind != "a"
}

// isAside reports whether a member's value is of the kind of that key, and not of the kind that
// the type has.
func (a *asider) isAside(t *trie, name string, value runtime.JSON) bool {
	if !a.isOfKind(t.keys[bag.MemberKey(name)].inner.kind, value) {
		return false
	}
	own, listed := t.items[name]
	return !listed || own.maps == 0 && own.inner != nil && (own.inner.kind == "" || !a.isOfKind(own.inner.kind, value))
}

// isOfKind is isOfKind for scalars and lists of scalars. It steps over what is neither, so that no
// level of a value is read once more for each level around it.
func (a *asider) isOfKind(kind string, value runtime.JSON) bool {
	c := a.cursor(value)
	inner, isList := strings.CutPrefix(kind, "l")
	switch first := c.Peek(); {
	case !isList:
		return first != '{' && first != '[' && isOfKind(kind, value)
	case first != '[':
		return false
	}
	for c.Take('['); c.More(']'); {
		if !a.isOfKind(inner, c.Raw()) {
			return false
		}
	}
	return true
}

// cursor returns a cursor over a piece of the value.
func (a *asider) cursor(piece runtime.JSON) *jsontext.Cursor {
	return &jsontext.Cursor{Data: piece, Jumps: a.Jumps}
}
