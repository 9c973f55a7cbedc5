package additional

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/notation"
)

// merged returns a value that a client wrote in its form in bags, with the hidden values of the
// value that it replaces: those of other versions, and those of the wrong type. A value hidden
// under the name of a member is removed once the client changes that member. Values of the wrong
// type stay for their version.
func (f *Further) merged(written, was runtime.JSON) runtime.JSON {
	if !f.hasNames() || !bag.HasNameLikeIn(was) {
		return written
	}
	visible, all := f.flattened(was)
	if all {
		return written
	}
	m := merger{written: jsontext.FindJumps(written), was: jsontext.FindJumps(was), visible: jsontext.FindJumps(visible)}
	out, _ := m.value(make(runtime.JSON, 0, len(written)+len(was)), f.names(), written, replacedValue{was, visible})
	if again, _ := f.flattened(out); !jsontext.IsSame(again, f.flat(written)) {
		return written
	}
	return out
}

// flat returns a value in the form that clients see.
func (f *Further) flat(value runtime.JSON) runtime.JSON {
	flat, _ := f.flattened(value)
	return flat
}

// replacedValue is a value that a client replaced, in its form in the bag and in the form that
// the client saw.
type replacedValue struct{ stored, visible runtime.JSON }

// merger merges the value that a client wrote with the values hidden from that client. Its
// methods report whether the client changed nothing, so that no value is compared twice. Its
// memory is bounded by the length of the values, for any number of members and elements.
type merger struct {
	written, was, visible *jsontext.Jumps
	// lists counts the lists around the current value.
	lists int
}

// value appends the written value, with the hidden values of the value that it replaces.
func (m *merger) value(out []byte, i notation.Item, written runtime.JSON, was replacedValue) (_ []byte, same bool) {
	first := (&jsontext.Cursor{Data: written}).Peek()
	hidesNothing := len(was.stored) < short && !bag.HasNameLikeIn(was.stored)
	if i.IsFree() || hidesNothing || first != (&jsontext.Cursor{Data: was.stored}).Peek() || first != '{' && first != '[' {
		return append(out, written...), jsontext.IsSame(written, was.visible)
	}
	switch {
	case first == '[':
		return m.list(out, i, written, was)
	case i.Maps > 0:
		return m.dict(out, i.Value(), written, was)
	}
	return m.object(out, i.Inner, written, was)
}

// short is the length up to which value searches for a property bag at each level.
const short = 256

// list matches elements like the restore of hidden values does for lists of typed objects.
func (m *merger) list(out []byte, i notation.Item, written runtime.JSON, was replacedValue) (_ []byte, same bool) {
	is, stored, visible := elementsIn(written, m.written), elementsIn(was.stored, m.was), elementsIn(was.visible, m.visible)
	from := m.origins(is, visible)
	same = is.len() == visible.len()
	m.lists++
	out = append(out, '[')
	for n := range is.len() {
		out = jsontext.Separate(out)
		if from[n] < 0 {
			out, same = append(out, is.at(n)...), false
			continue
		}
		unchanged := false
		out, unchanged = m.value(out, i, is.at(n), replacedValue{stored.at(from[n]), visible.at(from[n])})
		same = same && unchanged && from[n] == n
	}
	m.lists--
	return append(out, ']'), same
}

// origins returns, for each element, its former index, or -1 for a new element.
func (m *merger) origins(is, was elements) []int {
	if m.lists >= fingerprint.MaxLeafLists {
		return origins(fingerprint.InOrder(min(was.len(), is.len())), is.len())
	}
	if prints, before := is.prints(), was.prints(); !slices.Equal(prints, before) {
		for _, name := range fingerprint.NamingMembers {
			ids, ok := is.identities(name)
			if !ok {
				continue
			}
			if idsWere, ok := was.identities(name); ok {
				return origins(findAll(idsWere, fingerprint.IndicesOf(ids)), is.len())
			}
		}
		return origins(fingerprint.Align(fingerprint.Side{Prints: before, Leaves: was.leaves}, fingerprint.Side{Prints: prints, Leaves: is.leaves}), is.len())
	}
	return fingerprint.InOrder(is.len())
}

// origins inverts a slice that has the new index of each former element.
func origins(now []int, length int) []int {
	out := slices.Repeat([]int{fingerprint.Nobody}, length)
	for was, is := range now {
		if is >= 0 {
			out[is] = was
		}
	}
	return out
}

func findAll(ids []uint64, in fingerprint.Indices) []int {
	out := make([]int, len(ids))
	for i, id := range ids {
		out[i] = in.Of(id)
	}
	return out
}

// elements are the elements of a list, by their offsets.
type elements struct {
	jsontext.Cursor
	starts []uint32
}

func elementsIn(list runtime.JSON, j *jsontext.Jumps) elements {
	c := jsontext.Cursor{Data: list, Jumps: j}
	e := elements{Cursor: c}
	if !c.Take('[') {
		return e
	}
	count := 0
	for rest := c; rest.More(']'); count++ {
		rest.Raw()
	}
	e.starts = make([]uint32, 0, count)
	for c.More(']') {
		e.starts = append(e.starts, uint32(c.At))
		c.Raw()
	}
	return e
}

func (e elements) len() int { return len(e.starts) }

func (e elements) at(i int) runtime.JSON {
	e.At = int(e.starts[i])
	return e.Raw()
}

// prints returns the fingerprints of all elements.
func (e elements) prints() []uint64 {
	out := make([]uint64, e.len())
	for i := range out {
		out[i] = fingerprint.OfValue(&jsontext.Cursor{Data: e.at(i)})
	}
	return out
}

// identities returns the fingerprints of the member that names each element. It reports whether
// all are present and distinct.
func (e elements) identities(name string) ([]uint64, bool) {
	var out []uint64
	for i := range e.len() {
		c := &jsontext.Cursor{Data: jsontext.MemberOf(e.at(i), name)}
		if first := c.Peek(); first == 0 || first == '{' || first == '[' {
			return nil, false
		}
		id := fingerprint.OfValue(c)
		if id == 0 {
			return nil, false
		}
		if out == nil {
			out = make([]uint64, 0, e.len())
		}
		out = append(out, id)
	}
	return out, fingerprint.IsUnique(out)
}

// leaves returns the leaves of one element.
func (e elements) leaves(i int) []uint32 {
	c := leafCollector{Cursor: jsontext.Cursor{Data: e.at(i)}}
	c.collect(0)
	return c.leaves
}

// leafCollector collects the leaves of free JSON.
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

func (m *merger) dict(out []byte, i notation.Item, written runtime.JSON, was replacedValue) (_ []byte, same bool) {
	stored, visible := jsontext.IndexOf(was.stored, m.was, nil), jsontext.IndexOf(was.visible, m.visible, nil)
	count := 0
	same = true
	out = append(out, '{')
	(&jsontext.Cursor{Data: written, Jumps: m.written}).EachMember(func(key []byte, value runtime.JSON) {
		name, unchanged := jsontext.Borrow(key), false
		out = append(jsontext.AppendText(jsontext.Separate(out), name), ':')
		if before := stored.Find(name); before >= 0 {
			count++
			_, is := stored.Member(before)
			_, seen := visible.Member(visible.Find(bag.APIName(name)))
			out, unchanged = m.value(out, i, value, replacedValue{is, seen})
		} else {
			out = append(out, value...)
		}
		same = same && unchanged
	})
	return append(out, '}'), same && count == stored.Len()
}

// object writes the members, and then a bag with the hidden values of the former object.
func (m *merger) object(out []byte, free *notation.List, written runtime.JSON, was replacedValue) (_ []byte, same bool) {
	old := m.storedIn(free, was.stored)
	changes := m.changes(written, was.visible)
	out = append(out, '{')
	(&jsontext.Cursor{Data: written, Jumps: m.written}).EachMember(func(key []byte, value runtime.JSON) {
		name := jsontext.Borrow(key)
		start, unchanged := len(out), false
		out = append(jsontext.AppendText(jsontext.Separate(out), name), ':')
		before, found := old.find(name)
		if found {
			_, seen := changes.visible.Member(changes.visible.Find(name))
			out, unchanged = m.value(out, before.of, value, replacedValue{before.value, seen})
		} else {
			out = append(out, value...)
		}
		if unchanged && before.isAmbiguous {
			out = out[:start]
			old.leave(name)
		}
		if unchanged {
			changes.same[changes.is.Find(name)] = true
		}
	})
	return append(old.appendHidden(out, &changes), '}'), !changes.any()
}

// changes are the members of an object that a client changed, of those that it saw.
type changes struct {
	is, visible jsontext.Index
	// same reports for each member that it did not change.
	same []bool
}

func (m *merger) changes(written, visible runtime.JSON) changes {
	c := changes{is: jsontext.IndexOf(written, m.written, nil), visible: jsontext.IndexOf(visible, m.visible, nil)}
	c.same = make([]bool, c.is.Len())
	return c
}

// has reports whether the client added, changed or removed a member.
func (c *changes) has(name string) bool {
	if i := c.is.Find(name); i >= 0 {
		return !c.same[i]
	}
	return c.visible.Has(name)
}

// any reports whether the client changed anything. Every member that did not change was visible.
func (c *changes) any() bool {
	return len(c.same) != c.visible.Len() || slices.Contains(c.same, false)
}

// visibleMember is a member that clients see, in its stored form.
type visibleMember struct {
	value runtime.JSON
	of    notation.Item
	// isAmbiguous means that a reader could take the entry of the bag for a member of the object
	// itself. The entry stays in the bag until the client changes it.
	isAmbiguous bool
}

// storedObject is an object in storage. Clients see its members, and the entries of its property
// bag that are members.
type storedObject struct {
	free *notation.List
	bag  jsontext.Cursor
	// members and entries are indexed by the names that clients see.
	members, entries jsontext.Index
	// left reports for each entry that it stays in the bag.
	left []bool
}

func (m *merger) storedIn(free *notation.List, object runtime.JSON) storedObject {
	o := storedObject{free: free, members: jsontext.IndexOf(object, m.was, seenInObject)}
	o.bag = jsontext.Cursor{Data: memberOf(object, m.was, bag.Name), Jumps: m.was}
	o.entries = jsontext.IndexOf(o.bag.Data, m.was, seenInBag)
	o.left = make([]bool, o.entries.Len())
	return o
}

// memberOf returns the member of a name, and nil if it is absent.
func memberOf(object runtime.JSON, j *jsontext.Jumps, member string) runtime.JSON {
	c := jsontext.Cursor{Data: object, Jumps: j}
	for ok := c.Take('{'); ok && c.More('}'); c.Raw() {
		if string(c.Name()) == member {
			return c.Raw()
		}
	}
	return nil
}

// seenInBag returns the name by which clients see an entry of a property bag, and whether they
// see it.
func seenInBag(key []byte) (string, bool) {
	name, ok := bag.KeyMember(jsontext.Borrow(key))
	return bag.APIName(name), ok && name != bag.Name
}

// entry returns the index of the entry that clients see under a name; -1 for none. A member of
// the object itself has precedence over an entry. If the object is free JSON, clients see no
// entry.
func (o *storedObject) entry(name string) int {
	if o.free.IsOpen() || o.members.Has(name) {
		return -1
	}
	return o.entries.Find(name)
}

// find returns a member by the name that clients see.
func (o *storedObject) find(name string) (v visibleMember, found bool) {
	listed := false
	if i := o.members.Find(name); i >= 0 {
		var own []byte
		own, v.value = o.members.Member(i)
		v.of, listed = o.free.Member(string(own))
	} else if i := o.entry(name); i >= 0 {
		var key []byte
		key, v.value = o.entries.Member(i)
		member, _ := bag.KeyMember(string(key))
		v.of, listed = o.free.Key(string(key))
		v.isAmbiguous = !isDistinct(o.free, string(key), member, v.value, o.bag.Jumps)
	} else {
		return v, false
	}
	if listed && v.of.Inner == nil && v.of.Maps == 0 {
		v.of.Inner = notation.FreeJSON
	}
	return v, true
}

// numberOf returns the index of an entry by its key; -1 if clients do not see it.
func (o *storedObject) numberOf(key []byte) int {
	if name, ok := seenInBag(key); ok {
		return o.entry(name)
	}
	return -1
}

// leave keeps an entry in the bag.
func (o *storedObject) leave(name string) { o.left[o.entry(name)] = true }

// appendHidden appends a bag with the hidden entries of members that did not change, and with the
// entries that stay. It appends nothing if there are none.
func (o *storedObject) appendHidden(out []byte, changed *changes) []byte {
	start := len(out)
	out = append(append(jsontext.Separate(out), bag.QuotedName...), ':', '{')
	empty := len(out)
	o.bag.EachMember(func(text []byte, value runtime.JSON) {
		key := jsontext.Borrow(text)
		if i := o.numberOf(text); i >= 0 {
			if !o.left[i] {
				return
			}
		} else if bag.IsOwnKey(key) {
			value = withoutMembers(value, changed.has)
		} else if !isRawValue(key) && changed.has(bag.APIName(hiddenMember(key))) {
			return
		}
		if value != nil {
			out = append(append(jsontext.AppendText(jsontext.Separate(out), key), ':'), value...)
		}
	})
	if len(out) == empty {
		return out[:start]
	}
	return append(out, '}')
}

// isRawValue reports whether a key is that of a value of the wrong type. Elements of the wrong
// type do not count, because their indices may have changed.
func isRawValue(key string) bool {
	return strings.HasSuffix(key, bag.RawSuffix) && !strings.HasSuffix(key, bag.ElementsSuffix)
}

// hiddenMember returns the member that a key with any mark belongs to, by its name in storage.
func hiddenMember(key string) string {
	if elements, ok := strings.CutSuffix(key, bag.ElementsSuffix); ok {
		key = elements
	}
	if bag.IsMarked(key) {
		key = key[:strings.LastIndexByte(key, '@')]
	}
	name, _ := bag.KeyMember(key)
	return name
}

// withoutMembers returns an object without the members that has reports; nil if none remain. A
// value that is no object does not change.
func withoutMembers(object runtime.JSON, has func(name string) bool) runtime.JSON {
	if (&jsontext.Cursor{Data: object}).Peek() != '{' {
		return object
	}
	out := append(make([]byte, 0, len(object)), '{')
	jsontext.EachMember(object, func(name []byte, value runtime.JSON) {
		if !has(jsontext.Borrow(name)) {
			out = append(append(jsontext.AppendText(jsontext.Separate(out), string(name)), ':'), value...)
		}
	})
	if len(out) == 1 {
		return nil
	}
	return append(out, '}')
}
