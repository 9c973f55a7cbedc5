package additional

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/notation"
)

// inBag converts a value of the property's kind from the client's form to its form in bags. It
// adds the hidden values of the value that it replaces, and moves members to the keys of the
// versions that have them. Was is the value that it replaces, nil for none.
func (f *Further) inBag(value, was runtime.JSON) runtime.JSON {
	stored := f.stored(value)
	if was != nil {
		stored = f.merged(stored, was)
	}
	if free := f.free(); free == nil || !f.hasNames() {
		return stored
	}
	a := bagWriter{jsontext.Cursor{Data: stored, Jumps: jsontext.FindJumps(stored)}}
	return a.value(make(runtime.JSON, 0, len(stored)), f.names())
}

// bagWriter moves members of objects into property bags. It moves a member if the object's type
// has another kind of value under its name, and a version reads this kind from the bag.
type bagWriter struct{ jsontext.Cursor }

// value steps over a value, and writes it.
func (a *bagWriter) value(out []byte, i notation.Item) []byte {
	switch first := a.Peek(); {
	case i.IsFree() || first != '[' && first != '{':
		return append(out, a.Raw()...)
	case first == '[':
		out = append(out, '[')
		for a.Take('['); a.More(']'); {
			out = a.value(jsontext.Separate(out), i)
		}
		return append(out, ']')
	case i.Maps == 0:
		return a.object(out, i.Inner)
	}
	out = append(out, '{')
	for a.Take('{'); a.More('}'); {
		out = a.value(a.named(out), i.Value())
	}
	return append(out, '}')
}

// named writes the name of the current member in its spelling.
func (a *bagWriter) named(out []byte) []byte {
	out = append(jsontext.Separate(out), a.Raw()...)
	a.Take(':')
	return append(out, ':')
}

func (a *bagWriter) object(out []byte, t *notation.List) []byte {
	var found runtime.JSON
	var entries []jsontext.Member
	out = append(out, '{')
	for a.Take('{'); a.More('}'); {
		start := a.At
		name := string(a.Name())
		if name == bag.Name {
			found = a.Raw()
			continue
		}
		if mayBelongInBag(t, name) {
			value := a.Raw()
			if a.belongsInBag(t, name, value) {
				entries = withEntry(entries, bag.MemberKey(name), value)
				continue
			}
		}
		a.At = start
		out = a.named(out)
		if i, listed := t.Member(name); listed && i.Inner == nil && i.Maps == 0 {
			out = append(out, a.Raw()...)
		} else {
			out = a.value(out, i)
		}
	}
	return append(appendBag(out, entries, found), '}')
}

// withEntry adds an entry. Of a name that an object repeats, the last value counts, so that there
// are no more entries than keys.
func withEntry(entries []jsontext.Member, key string, value runtime.JSON) []jsontext.Member {
	for i := range entries {
		if entries[i].Name == key {
			entries[i].Value = value
			return entries
		}
	}
	return append(entries, jsontext.Member{Name: key, Value: value})
}

// appendBag appends a property bag with entries and then those of the old bag was. It appends
// nothing if there are none.
func appendBag(out []byte, entries []jsontext.Member, was runtime.JSON) []byte {
	if len(entries) == 0 && was == nil {
		return out
	}
	out = append(append(jsontext.Separate(out), bag.QuotedName...), ':', '{')
	for _, e := range entries {
		out = append(append(jsontext.AppendText(jsontext.Separate(out), e.Name), ':'), e.Value...)
	}
	jsontext.EachMember(was, func(name []byte, value runtime.JSON) {
		if slices.ContainsFunc(entries, func(e jsontext.Member) bool { return e.Name == string(name) }) {
			return // the new value has precedence
		}
		out = append(append(jsontext.AppendText(jsontext.Separate(out), string(name)), ':'), value...)
	})
	return append(out, '}')
}

// mayBelongInBag reports whether the list has a kind for the key of a member's name, or has that
// key with free JSON beside the member, or with typed additional members. An object that is open
// to any JSON shows no entries of its bag, so that its members stay.
func mayBelongInBag(t *notation.List, name string) bool {
	if t == nil || len(t.Keys) == 0 || t.IsOpen() {
		return false
	}
	key, found := t.Keys[bag.MemberKey(name)]
	_, named := t.Items[name]
	if _, typed := t.AdditionalItem(); found && !named && typed {
		return true
	}
	return found && (kindOf(key) != "" || named && isAny(key))
}

// belongsInBag reports whether a member's value has the kind of that key, and not the kind in the
// type. A member stays if the type lacks it or has the same kind: every version reads it there.
func (a *bagWriter) belongsInBag(t *notation.List, name string, value runtime.JSON) bool {
	own, listed := t.Items[name]
	if additional, typed := t.AdditionalItem(); typed && !listed {
		return !fitsAdditional(additional, value, a.Jumps)
	}
	if key := t.Keys[bag.MemberKey(name)]; !isAny(key) && !isOfScalars(kindOf(key), value, a.Jumps) {
		return false
	}
	if kind := kindOf(own); kind != "" {
		return !isOfScalars(kind, value, a.Jumps)
	}
	return listed && !isAny(own) && hasScalar(value)
}

// isAny reports whether an item is free JSON, or a map of it.
func isAny(i notation.Item) bool {
	if i.Inner == nil {
		return i.Maps == 0
	}
	return strings.HasSuffix(i.Inner.Kind, "a")
}
