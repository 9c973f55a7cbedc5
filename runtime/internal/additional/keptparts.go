package additional

import (
	"maps"
	"slices"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/notation"
)

// withKept returns a value of the property that a client has written, as it lies in bags, with
// what the value that it replaces hides from that client: values of other versions, and of the
// wrong type. What is hidden under the name of a member goes once the client changes that member,
// but for values of the wrong type: they come back in their version.
func (f *Further) withKept(written, was runtime.JSON) runtime.JSON {
	if !f.hasNames() || !bag.HasNameLikeIn(was) {
		return written
	}
	shown, all := f.flattened(was)
	if all {
		return written
	}
	k := keeper{written: jsontext.FindJumps(written), was: jsontext.FindJumps(was), shown: jsontext.FindJumps(shown)}
	out, _ := k.value(make(runtime.JSON, 0, len(written)+len(was)), f.names(), written, replacedValue{was, shown})
	if again, _ := f.flattened(out); !jsontext.IsSame(again, f.flat(written)) {
		return written
	}
	return out
}

// flat is a value as clients see it.
func (f *Further) flat(value runtime.JSON) runtime.JSON {
	flat, _ := f.flattened(value)
	return flat
}

// replacedValue is a value that a client has replaced: as it was in a bag, and as the client saw
// it.
type replacedValue struct{ stored, shown runtime.JSON }

// keeper merges what a client has written with what was hidden from it. Its functions report
// whether the client has changed nothing, so that nothing is compared twice.
type keeper struct {
	written, was, shown *jsontext.Jumps
	// lists counts the lists that the value at hand is in.
	lists int
}

// value appends what was written, with what is kept of what was there.
func (k *keeper) value(out []byte, i notation.Item, written runtime.JSON, was replacedValue) (_ []byte, same bool) {
	first := (&jsontext.Cursor{Data: written}).Peek()
	if i.IsFree() || first != (&jsontext.Cursor{Data: was.stored}).Peek() || first != '{' && first != '[' {
		return append(out, written...), jsontext.IsSame(written, was.shown)
	}
	switch {
	case first == '[':
		return k.list(out, i, written, was)
	case i.Maps > 0:
		return k.dict(out, i.Value(), written, was)
	}
	return k.object(out, i.Inner, written, was)
}

// list finds elements again as lists of typed objects do.
func (k *keeper) list(out []byte, i notation.Item, written runtime.JSON, was replacedValue) (_ []byte, same bool) {
	is, stored, shown := elementsIn(written, k.written), elementsIn(was.stored, k.was), elementsIn(was.shown, k.shown)
	from := k.origins(is, shown)
	same = len(is) == len(shown)
	k.lists++
	defer func() { k.lists-- }()
	out = append(out, '[')
	for n, element := range is {
		out = jsontext.Separate(out)
		if from[n] < 0 {
			out, same = append(out, element...), false
			continue
		}
		unchanged := false
		out, unchanged = k.value(out, i, element, replacedValue{stored[from[n]], shown[from[n]]})
		same = same && unchanged && from[n] == n
	}
	return append(out, ']'), same
}

// origins finds for each element which one it was; -1 for a new one.
func (k *keeper) origins(is, was []runtime.JSON) []int {
	if k.lists >= fingerprint.MaxLeafLists {
		return origins(fingerprint.InOrder(min(len(was), len(is))), len(is))
	}
	if prints, before := freePrints(is), freePrints(was); !slices.Equal(prints, before) {
		for _, name := range fingerprint.NamingMembers {
			ids, ok := freeIdentities(is, name)
			if idsWere, all := freeIdentities(was, name); ok && all {
				return origins(findAll(idsWere, fingerprint.PlacesOf(ids)), len(is))
			}
		}
		return origins(fingerprint.Align(fingerprint.Side{Prints: before, Leaves: freeLeavesOf(was)}, fingerprint.Side{Prints: prints, Leaves: freeLeavesOf(is)}), len(is))
	}
	return fingerprint.InOrder(len(is))
}

// origins turns where elements are now into which ones they were.
func origins(now []int, length int) []int {
	out := slices.Repeat([]int{fingerprint.Nobody}, length)
	for was, is := range now {
		if is >= 0 {
			out[is] = was
		}
	}
	return out
}

func findAll(ids []uint64, in fingerprint.Places) []int {
	out := make([]int, len(ids))
	for i, id := range ids {
		out[i] = in.Of(id)
	}
	return out
}

func elementsIn(list runtime.JSON, j *jsontext.Jumps) (out []runtime.JSON) {
	c := jsontext.Cursor{Data: list, Jumps: j}
	for c.Take('['); c.More(']'); {
		out = append(out, c.Raw())
	}
	return out
}

// freePrints are the fingerprints of elements that are free JSON.
func freePrints(elements []runtime.JSON) []uint64 {
	out := make([]uint64, len(elements))
	for i, element := range elements {
		out[i] = fingerprint.OfValue(&jsontext.Cursor{Data: element})
	}
	return out
}

// freeIdentities are the fingerprints of the member that names each element. It reports whether
// each has one of its own.
func freeIdentities(elements []runtime.JSON, name string) ([]uint64, bool) {
	out := make([]uint64, len(elements))
	for i, element := range elements {
		if c := (&jsontext.Cursor{Data: jsontext.MemberOf(element, name)}); c.Peek() != 0 && c.Peek() != '{' && c.Peek() != '[' {
			out[i] = fingerprint.OfValue(c)
		}
		if out[i] == 0 {
			return nil, false
		}
	}
	return out, fingerprint.IsUnique(out)
}

func freeLeavesOf(elements []runtime.JSON) func(i int) []uint32 {
	return func(i int) []uint32 {
		c := leafCollector{Cursor: jsontext.Cursor{Data: elements[i]}}
		c.collect(0)
		return c.leaves
	}
}

// leafCollector collects leaves of free JSON.
type leafCollector struct {
	jsontext.Cursor
	leaves []uint32
}

// collect adds a leaf for each scalar, with the name of the nearest member.
func (c *leafCollector) collect(name uint64) {
	switch c.Peek() {
	case '{':
		for c.Take('{'); c.More('}'); {
			c.collect(fingerprint.OfText(fingerprint.NameSeed, c.Name()))
		}
	case '[':
		for c.Take('['); c.More(']'); {
			c.collect(name)
		}
	default:
		if value := fingerprint.OfValue(&c.Cursor); value != 0 {
			c.leaves = append(c.leaves, uint32(fingerprint.Join(name, value)>>32))
		}
	}
}

func (k *keeper) dict(out []byte, i notation.Item, written runtime.JSON, was replacedValue) (_ []byte, same bool) {
	stored, shown := membersOf(was.stored, k.was), membersOf(was.shown, k.shown)
	count := 0
	same = true
	out = append(out, '{')
	(&jsontext.Cursor{Data: written, Jumps: k.written}).EachMember(func(key []byte, value runtime.JSON) {
		name, unchanged := string(key), false
		out = append(jsontext.AppendText(jsontext.Separate(out), name), ':')
		if before, found := stored[name]; found {
			count++
			out, unchanged = k.value(out, i, value, replacedValue{before, shown[bag.APIName(name)]})
		} else {
			out = append(out, value...)
		}
		same = same && unchanged
	})
	return append(out, '}'), same && count == len(stored)
}

func membersOf(object runtime.JSON, j *jsontext.Jumps) map[string]runtime.JSON {
	out := map[string]runtime.JSON{}
	(&jsontext.Cursor{Data: object, Jumps: j}).EachMember(func(name []byte, value runtime.JSON) { out[string(name)] = value })
	return out
}

// object writes the members, and then a bag with what is kept of the one that was there.
func (k *keeper) object(out []byte, free *notation.List, written runtime.JSON, was replacedValue) (_ []byte, same bool) {
	old, shown := k.visible(free, was.stored), membersOf(was.shown, k.shown)
	changed := map[string]bool{}
	for name := range shown {
		changed[name] = true // until it is seen again
	}
	out = append(out, '{')
	(&jsontext.Cursor{Data: written, Jumps: k.written}).EachMember(func(key []byte, value runtime.JSON) {
		name := string(key)
		start, unchanged := len(out), false
		out = append(jsontext.AppendText(jsontext.Separate(out), name), ':')
		before, found := old.members[name]
		if found {
			out, unchanged = k.value(out, before.of, value, replacedValue{before.value, shown[name]})
		} else {
			out = append(out, value...)
		}
		if unchanged && before.key != "" {
			out, old.hidden = out[:start], append(old.hidden, jsontext.Member{Name: before.key, Value: before.value})
		}
		changed[name] = !unchanged
	})
	maps.DeleteFunc(changed, func(_ string, is bool) bool { return !is })
	return append(appendKept(out, old.hidden, changed), '}'), len(changed) == 0
}

// visibleMember is a member that clients see, as it is stored.
type visibleMember struct {
	value runtime.JSON
	of    notation.Item
	// key is that of an entry of the bag which could be taken for a member of the object itself. It
	// stays there until the client changes it.
	key string
}

// visibleParts are the members of an object that clients see, by their names, and the entries of
// its bag that they do not see.
type visibleParts struct {
	members map[string]visibleMember
	hidden  []jsontext.Member
}

func (k *keeper) visible(free *notation.List, object runtime.JSON) visibleParts {
	v := visibleParts{members: map[string]visibleMember{}}
	add := func(name, key string, value runtime.JSON, i notation.Item, listed bool) {
		if listed && i.Inner == nil && i.Maps == 0 {
			i.Inner = notation.FreeJSON
		}
		v.members[bag.APIName(name)] = visibleMember{value, i, key}
	}
	var b runtime.JSON
	(&jsontext.Cursor{Data: object, Jumps: k.was}).EachMember(func(key []byte, value runtime.JSON) {
		if name := string(key); name == bag.Name {
			b = value
		} else {
			i, listed := free.Member(name)
			add(name, "", value, i, listed)
		}
	})
	(&jsontext.Cursor{Data: b, Jumps: k.was}).EachMember(func(text []byte, value runtime.JSON) {
		key := string(text)
		name, ok := bag.KeyMember(key)
		if _, live := v.members[bag.APIName(name)]; live || !ok || name == bag.Name || free.IsOpen() {
			v.hidden = append(v.hidden, jsontext.Member{Name: key, Value: value})
			return
		}
		i, listed := free.Key(key)
		if tells(free, key, name, value, k.was) {
			key = ""
		}
		add(name, key, value, i, listed)
	})
	return v
}

// appendKept appends a bag with the hidden entries that are not of members that have changed;
// nothing where there are none.
func appendKept(out []byte, hidden []jsontext.Member, changed map[string]bool) []byte {
	start := len(out)
	out = append(append(jsontext.Separate(out), bag.QuotedName...), ':', '{')
	empty := len(out)
	for _, h := range hidden {
		value := h.Value
		if bag.IsOwnKey(h.Name) {
			value = withoutMembers(value, changed)
		} else if !isRawValue(h.Name) && changed[bag.APIName(hiddenMember(h.Name))] {
			continue
		}
		if value != nil {
			out = append(append(jsontext.AppendText(jsontext.Separate(out), h.Name), ':'), value...)
		}
	}
	if len(out) == empty {
		return out[:start]
	}
	return append(out, '}')
}

// isRawValue reports whether a key is that of a value of the wrong type, but for elements, which
// stand by their indices.
func isRawValue(key string) bool {
	return strings.HasSuffix(key, bag.RawMark) && !strings.HasSuffix(key, bag.ElementsMark)
}

// hiddenMember is the member that a key is of, by its name in storage, whatever the mark of the
// key.
func hiddenMember(key string) string {
	if elements, ok := strings.CutSuffix(key, bag.ElementsMark); ok {
		key = elements
	}
	if bag.IsMarked(key) {
		key = key[:strings.LastIndexByte(key, '@')]
	}
	name, _ := bag.KeyMember(key)
	return name
}

// withoutMembers is an object without the members of some names; nil where nothing is left. What
// is no object stays.
func withoutMembers(object runtime.JSON, names map[string]bool) runtime.JSON {
	if (&jsontext.Cursor{Data: object}).Peek() != '{' {
		return object
	}
	out := []byte{'{'}
	jsontext.EachMember(object, func(name []byte, value runtime.JSON) {
		if !names[string(name)] {
			out = append(append(jsontext.AppendText(jsontext.Separate(out), string(name)), ':'), value...)
		}
	})
	if len(out) == 1 {
		return nil
	}
	return append(out, '}')
}
