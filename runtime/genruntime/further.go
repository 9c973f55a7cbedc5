package genruntime

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// A property that one version names, and the additional member of that name which an open object of another version has,
// are one property. Between the two it lies in the property bag, under the keys that its values have wherever it is away:
// [Lower] puts additional members there before a step, and [Raise] takes them out again behind it.
//
// An additional member for which there is no key, since no version names it, or none with a value of that kind, lies under
// $additionalProperties where the object is closed, or names it. One that is the name of another property in an open object
// that shows it lies under $foreignProperties for those who do not.

// Further is a property that may be an additional member.
type Further struct {
	// Name is that of the additional member, and Key that of its values in property bags.
	Name, Key string
	// Kind is the JSON kind of these values: l for a list, m for a map, and then s for a text, i for an integer, n for a
	// number, b for a boolean, o for an object, a for free JSON.
	Kind string
	// Free lists the members within these objects that are free JSON, or maps, as [Expression].Lacks does. What lies there is
	// as the client wrote it. A key with a kind, !k(?s), lists what lies in the property bag where the object has a value of
	// another kind under that name, k(?i).
	Free string
}

// free is the list of members that are as the client wrote them.
func (f *Further) free() *trie {
	if f.Free == "" {
		return nil
	}
	known, ok := freeTries.Load(f.Free)
	if !ok {
		known, _ = freeTries.LoadOrStore(f.Free, parseTrie(f.Free))
	}
	return known.(*trie)
}

// freeTries are the lists of generated code, by their texts.
var freeTries sync.Map

// takes reports whether a property of the kind can have a value.
func (f *Further) takes(value runtime.JSON) bool { return isOfKindWith(f.Kind, value, f.free()) }

// Furthers are properties that may be additional members, sorted by name.
type Furthers = furthers

// furthers are sorted by name.
type furthers []Further

// named returns the entries of one name.
func (f furthers) named(name string) furthers {
	from, _ := slices.BinarySearchFunc(f, name, func(f Further, name string) int { return strings.Compare(f.Name, name) })
	to := from
	for to < len(f) && f[to].Name == name {
		to++
	}
	return f[from:to]
}

// keyOf returns the key under which a value of a member lies in bags; empty if there is none.
func (f furthers) keyOf(name string, value runtime.JSON) string {
	if of := f.of(name, value); of != nil {
		return of.Key
	}
	return ""
}

// of returns the entry of a name that has the kind of a value; nil if there is none.
func (f furthers) of(name string, value runtime.JSON) *Further {
	named := f.named(name)
	for i := range named {
		if named[i].takes(value) {
			return &named[i]
		}
	}
	return nil
}

// cover is what lies under an additional member.
type cover struct {
	// Key is that of the value that is shown, Shown is what is shown of it.
	Key   string       `json:"key"`
	Shown runtime.JSON `json:"shown,omitzero"`
	// Stored are all values of the property, by their keys.
	Stored map[string]runtime.JSON `json:"stored"`
}

// Lower returns the property bag of src with its additional members in it. Foreign are the names of those that are not the
// properties which are known.
func Lower[S any](src *S, known Furthers, foreign ...string) runtime.PropertyBag {
	return lower(src, known, foreign)
}

// lower returns the property bag of src with its additional members in it.
func lower[S any](src *S, known furthers, foreign []string) runtime.PropertyBag {
	s, p := shapeOf(reflect.TypeFor[S]()), unsafe.Pointer(src)
	l := lowering{bag: s.bagAt(p).Clone(), known: known}
	if l.bag == nil {
		l.bag = runtime.PropertyBag{}
	}
	others := entriesOf[runtime.JSON](l.bag, bag.NamedKey) // of a time when some of the members were objects of a type
	maps.Copy(others, entriesOf[runtime.JSON](l.bag, bag.AdditionalKey))
	setEntries(l.bag, bag.NamedKey, map[string]runtime.JSON{})
	l.rest, l.others = map[string]runtime.JSON{}, others
	own := map[string]runtime.JSON{}
	if s.more != nil {
		own = l.additional(s.more.shape, unsafe.Add(p, s.more.offset), foreign)
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		f := s.member(bag.StoredName(name))
		_, shown := own[name]
		l.place(name, others[name], false, shown || f != nil && !f.shape.isAbsent(unsafe.Add(p, f.offset)))
	}
	setEntries(l.bag, bag.AdditionalKey, l.rest)
	if len(l.bag) == 0 {
		return nil
	}
	return l.bag
}

// lowering is a bag that additional members are put into.
type lowering struct {
	bag   runtime.PropertyBag
	known furthers
	// rest are the members without a key.
	rest map[string]runtime.JSON
	// others are those that the bag had.
	others map[string]runtime.JSON
}

// additional puts the additional members at p into the bag, and returns them.
func (l *lowering) additional(s *shape, p unsafe.Pointer, foreign []string) map[string]runtime.JSON {
	own, covers, strangers := map[string]runtime.JSON{}, entriesOf[cover](l.bag, bag.CoveredKey), entriesOf[runtime.JSON](l.bag, bag.ForeignKey)
	setEntries(l.bag, bag.CoveredKey, map[string]cover{})
	for entries := s.dict(p).MapRange(); entries.Next(); {
		name := entries.Key().String()
		own[name] = s.entryText(p, name)
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		c, covers := covers[name]
		switch {
		case slices.Contains(foreign, name):
			strangers[name] = own[name]
		case covers && isSame(orNull(c.Shown), own[name]):
			l.uncover(name, c)
		default: // what a cover has goes with what has changed of the value that was shown of it
			l.forget(name)
			l.place(name, own[name], true, false)
			l.keepParts(name, own[name], c)
		}
	}
	setEntries(l.bag, bag.ForeignKey, strangers)
	return own
}

// forget removes the values of a member that was written where they are hidden.
func (l *lowering) forget(name string) {
	for _, f := range l.known.named(name) {
		delete(l.bag, f.Key)
	}
	delete(l.others, name)
}

// keepParts adds to a member that was written, and has its key, what its cover hides of the value that was there.
func (l *lowering) keepParts(name string, value runtime.JSON, c cover) {
	if f := l.known.of(name, value); f != nil && f.Key != "" && f.Key == c.Key {
		l.bag[f.Key] = f.inBag(value, c.Stored[f.Key])
	}
}

// uncover puts the stored values of a cover back into the bag. An entry that is there stays.
func (l *lowering) uncover(name string, c cover) {
	for key, value := range c.Stored {
		switch _, taken := l.bag[key]; {
		case key == bag.NamedKey: // behind the others
		case key == bag.AdditionalKey:
			l.rest[name] = value
		case !taken:
			l.bag[key] = jsontext.Present(value)
		}
	}
	if value, waited := c.Stored[bag.NamedKey]; waited {
		l.place(name, value, false, false)
	}
}

// place puts a member under its key, or among the rest. A live one replaces what is there. Aside is set where it is not to
// have a key.
func (l *lowering) place(name string, value runtime.JSON, live, aside bool) {
	if f := l.known.of(name, value); f != nil && f.Key != "" && !aside {
		if _, taken := l.bag[f.Key]; !taken || live {
			l.bag[f.Key] = f.inBag(value, nil)
			return
		}
	}
	if _, taken := l.rest[name]; !taken || live {
		l.rest[name] = value
	}
}

// Raise takes the additional members of dst, if it is open, out of its property bag. Values that dst could not read although
// it names the property stay there without its key, so that nothing takes them for a live one.
func Raise[D any](dst *D, known Furthers, foreign ...string) { raise(dst, known, foreign) }

// raise takes the additional members of dst out of its property bag.
func raise[D any](dst *D, known furthers, foreign []string) {
	s, p := shapeOf(reflect.TypeFor[D]()), unsafe.Pointer(dst)
	b := s.bagAt(p)
	if len(*b) == 0 {
		return
	}
	r := raising{shape: s, bag: *b, known: known, rest: entriesOf[runtime.JSON](*b, bag.AdditionalKey)}
	r.leaveUnread()
	if s.more != nil {
		r.additional(s.more.shape, unsafe.Add(p, s.more.offset), foreign)
	}
	setEntries(r.bag, bag.AdditionalKey, r.rest)
	if len(*b) == 0 {
		*b = nil
	}
}

// raising is a bag that additional members are taken out of.
type raising struct {
	shape *shape
	bag   runtime.PropertyBag
	known furthers
	rest  map[string]runtime.JSON
}

// value is what the bag has of a property. One without a key has nothing.
func (r *raising) value(f Further) (runtime.JSON, bool) {
	if f.Key == "" {
		return nil, false
	}
	value, found := r.bag[f.Key]
	return value, found
}

// leaveUnread moves values of the kind that the object has of a property to the rest.
func (r *raising) leaveUnread() {
	for _, f := range r.known {
		value, found := r.value(f)
		if own := r.shape.member(bag.StoredName(f.Name)); !found || own == nil || own.shape.furtherKind() != f.Kind || !f.takes(value) {
			continue
		}
		delete(r.bag, f.Key)
		r.rest[f.Name], _ = f.flattened(orNull(value))
	}
}

// additional fills the additional members at p.
func (r *raising) additional(s *shape, p unsafe.Pointer, foreign []string) {
	covers, strangers := entriesOf[cover](r.bag, bag.CoveredKey), entriesOf[runtime.JSON](r.bag, bag.ForeignKey)
	for _, name := range r.names() {
		if r.shape.member(bag.StoredName(name)) == nil && !slices.Contains(foreign, name) {
			r.member(s, p, name, covers)
		}
	}
	for _, name := range foreign {
		if value, found := strangers[name]; found && r.shape.member(bag.StoredName(name)) == nil && s.setEntry(p, name, value) {
			delete(strangers, name)
		}
	}
	setEntries(r.bag, bag.CoveredKey, covers)
	setEntries(r.bag, bag.ForeignKey, strangers)
}

// names lists the members that the bag may have, sorted.
func (r *raising) names() []string {
	names := slices.Collect(maps.Keys(r.rest))
	for _, f := range r.known {
		if _, found := r.value(f); found {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// member takes one member out of the bag, with all values that it has there.
func (r *raising) member(s *shape, p unsafe.Pointer, name string, covers map[string]cover) {
	c := cover{Stored: map[string]runtime.JSON{}}
	shown, whole := false, false
	for _, f := range r.known.named(name) {
		value, found := r.value(f)
		if !found {
			continue
		}
		c.Stored[f.Key] = orNull(value)
		flat, all := f.flattened(orNull(value))
		if shown || s.elem.kind != freeKind && !isOfKind(s.elem.furtherKind(), flat) {
			continue
		}
		if shown = s.setEntry(p, name, flat); shown {
			c.Key, c.Shown, whole = f.Key, flat, all && f.hasNames()
			if strings.HasSuffix(f.Kind, "a") {
				c.Shown = s.entryText(p, name) // free JSON comes back as it was spelled
			}
		}
	}
	if value, found := r.rest[name]; found {
		c.Stored[bag.AdditionalKey] = value
		if !shown {
			if shown = s.setEntry(p, name, value); shown {
				c.Key, c.Shown = bag.AdditionalKey, value
			}
		}
	}
	if !shown {
		return
	}
	delete(r.rest, name)
	for key := range c.Stored {
		delete(r.bag, key)
	}
	if !r.follows(name, c, whole) {
		covers[name] = c
	}
}

// follows reports whether what a member is made of follows from it. Whole is set where the member shows all of an object:
// then members are told from what lies in a property bag by the type that reads it.
func (r *raising) follows(name string, c cover, whole bool) bool {
	if len(c.Stored) > 1 || !whole && string(c.Stored[c.Key]) != string(c.Shown) {
		return false
	}
	key := r.known.keyOf(name, c.Shown)
	return key == c.Key || key == "" && c.Key == bag.AdditionalKey
}

// Set sets a value of the map at p, which is made where there is none, to what the API has. It refuses a value that is
// not as it is read.
func (s *shape) setEntry(p unsafe.Pointer, name string, value runtime.JSON) bool {
	entry := reflect.New(s.of.Elem())
	if free, ok := entry.Interface().(*runtime.JSON); ok {
		*free = jsontext.Present(value)
	} else if !(exactReader{}).reads(s.elem.inStorage(value), entry) {
		return false
	}
	entries := s.dict(p)
	if entries.IsNil() {
		entries.Set(reflect.MakeMap(s.of))
	}
	entries.SetMapIndex(reflect.ValueOf(name).Convert(s.of.Key()), entry.Elem())
	return true
}

// entryText is the JSON of an entry of the map at p, as the API has it.
func (s *shape) entryText(p unsafe.Pointer, name string) runtime.JSON {
	text, _ := jsontext.Marshal(s.dict(p).MapIndex(reflect.ValueOf(name).Convert(s.of.Key())).Interface()) // it has been JSON, or becomes none
	return s.elem.inAPI(text)
}

// exactReader reads JSON without losing anything.
type exactReader struct{}

func (exactReader) reads(value runtime.JSON, into reflect.Value) bool {
	if jsontext.Present(value) == nil {
		return false
	}
	return decodeStrictly(value, into.Interface()) && isFaithful(value, into.Interface())
}

// entriesOf reads the members of an entry of a bag; none if it is none, or no such object.
func entriesOf[T any](bag runtime.PropertyBag, key string) map[string]T {
	out := map[string]T{}
	if entry, found := bag[key]; found && kjson.UnmarshalCaseSensitivePreserveInts(orNull(entry), &out) != nil || out == nil {
		return map[string]T{}
	}
	return out
}

// setEntries makes members an entry of a bag; none where there are none.
// An entry that is no such object, or an empty one, stays, beside them if it must.
func setEntries[T any](b runtime.PropertyBag, key string, members map[string]T) {
	aside := key + bag.DamagedMark
	damaged, found := b[key]
	found = found && len(entriesOf[T](b, key)) == 0
	if !found {
		damaged, found = b[aside]
	}
	delete(b, key)
	delete(b, aside)
	if data, err := jsontext.Marshal(members); err == nil && len(members) > 0 {
		b[key], key = data, aside
	}
	if found {
		b[key] = damaged
	}
}

func orNull(value runtime.JSON) runtime.JSON {
	if len(value) == 0 {
		return runtime.JSON(jsontext.Null)
	}
	return value
}

// furtherKind spells the kind of a shape as [Further] does; empty for what is none.
func (s *shape) furtherKind() string {
	switch s.kind {
	case pointerKind:
		return s.elem.furtherKind()
	case listKind:
		return "l" + s.elem.furtherKind()
	case dictKind:
		return "m" + s.elem.furtherKind()
	case textKind:
		return "s"
	case integerKind:
		return "i"
	case numberKind:
		return "n"
	case truthKind:
		return "b"
	case freeKind:
		return "a"
	case objectKind:
		return "o"
	}
	return ""
}

// isOfKind reports whether a property of a kind can have a value, as far as the kind tells. An object that would change on
// its way through a type, by a null or a member that could be taken for a property bag, is of none.
func isOfKind(kind string, value runtime.JSON) bool { return isOfKindWith(kind, value, nil) }

func isOfKindWith(kind string, value runtime.JSON, free *trie) bool {
	c := jsontext.Cursor{Data: value}
	first := c.Peek()
	switch {
	case first == 'n' || first == 0 || kind == "":
		return false
	case kind == "a":
		return true
	case kind == "s":
		if first != '"' {
			return false
		}
		_, ok := jsontext.Unescaped(value[1 : len(value)-1])
		return ok
	case kind == "b":
		return first == 't' || first == 'f'
	case kind == "i":
		_, err := strconv.ParseInt(string(value), 10, 64)
		return err == nil && jsontext.IsInteger(string(value))
	case kind == "n":
		f, err := strconv.ParseFloat(string(value), 64)
		return err == nil && isExact(f, string(value))
	case kind == "o":
		return first == '{' && isPlainValue(&c, free)
	case kind[0] == 'l' && first == '[':
		for c.Take('['); c.More(']'); {
			if value := c.Raw(); kind[1:] != "a" && !isOfKindWith(kind[1:], value, free) {
				return false
			}
		}
		return true
	case kind[0] == 'm' && first == '{':
		for c.Take('{'); c.More('}'); {
			c.Name()
			if value := c.Raw(); kind[1:] != "a" && !isOfKindWith(kind[1:], value, free) {
				return false
			}
		}
		return true
	}
	return false
}

// isPlainValue steps over a value, and reports whether nothing in it is null or is called like a property bag, but for what
// is free.
func isPlainValue(c *jsontext.Cursor, free *trie) bool {
	switch c.Peek() {
	case 'n':
		return false
	case '{':
		for c.Take('{'); c.More('}'); {
			name := string(c.Name())
			i, listed := free.member(name)
			switch {
			case bag.IsLike(name, bag.Name), c.Peek() == 'n':
				return false
			case listed && i.inner == nil && i.maps == 0:
				c.Raw()
			case !i.isPlain(c):
				return false
			}
		}
	case '[':
		for c.Take('['); c.More(']'); {
			if !isPlainValue(c, free) {
				return false
			}
		}
	default:
		c.Raw()
	}
	return true
}

// IsPlain is isPlainValue for what lies in the maps around an item.
func (i item) isPlain(c *jsontext.Cursor) bool {
	if i.isFree() {
		c.Raw()
		return true
	}
	if i.maps == 0 || c.Peek() != '{' && c.Peek() != '[' {
		return isPlainValue(c, i.inner)
	}
	if c.Take('[') {
		for c.More(']') {
			if !i.isPlain(c) {
				return false
			}
		}
		return true
	}
	for c.Take('{'); c.More('}'); {
		if c.Name(); !(item{i.inner, i.maps - 1}).isPlain(c) {
			return false
		}
	}
	return true
}

// flattened returns a value as a client sees it who knows no more of it than that it is JSON: with the members of property
// bags beside the others, and names as the API has them. Entries of other versions are left out, if there are any it is
// false.
func (f *Further) flattened(value runtime.JSON) (runtime.JSON, bool) {
	if !f.hasNames() || !bagLike(value) {
		return value, true
	}
	l := flattener{Cursor: jsontext.Cursor{Data: value, Jumps: jsontext.FindJumps(value)}, whole: true}
	return l.value(make(runtime.JSON, 0, len(value)), f.names()), l.whole
}

// hasNames reports whether values of the property have names that are others in storage: as objects, or in maps.
func (f *Further) hasNames() bool {
	return strings.HasSuffix(f.Kind, "o") || strings.Contains(f.Kind, "m")
}

// names is the list of what lies within a value of the property.
func (f *Further) names() item {
	i := item{f.free(), strings.Count(f.Kind, "m")}
	if !strings.HasSuffix(f.Kind, "o") {
		i.inner = freeTrie
	}
	return i
}

// stored returns a value of the property's kind, as clients write it, as it lies in bags: with the keys of maps that
// storage has. Members of objects are not called like a property bag where the value is of the kind.
func (f *Further) stored(value runtime.JSON) runtime.JSON {
	if !f.hasNames() || !bagLike(value) {
		return value
	}
	return f.names().stored(make(runtime.JSON, 0, len(value)+len(bag.Name)), &jsontext.Cursor{Data: value})
}

// stored steps over a value, and writes it as it lies in bags.
func (i item) stored(out []byte, c *jsontext.Cursor) []byte {
	switch first := c.Peek(); {
	case first == '[' && !i.isFree():
		out = append(out, '[')
		for c.Take('['); c.More(']'); {
			out = i.stored(separated(out), c)
		}
		return append(out, ']')
	case first != '{' || i.isFree():
		return append(out, c.Raw()...)
	}
	out = append(out, '{')
	for c.Take('{'); c.More('}'); {
		name := string(c.Name())
		out = separated(out)
		if i.maps > 0 {
			out = item{i.inner, i.maps - 1}.stored(append(jsontext.AppendText(out, bag.StoredName(name)), ':'), c)
			continue
		}
		out = append(jsontext.AppendText(out, name), ':')
		if within, listed := i.inner.member(name); listed && within.inner == nil && within.maps == 0 {
			out = append(out, c.Raw()...)
		} else {
			out = within.stored(out, c)
		}
	}
	return append(out, '}')
}

// freeTrie is the list of what lies within free JSON.
var freeTrie = &trie{kind: "a"}

// isFree reports whether what lies behind the maps of an item is free JSON, and the maps are passed.
func (i item) isFree() bool { return i.maps == 0 && i.inner != nil && i.inner.kind == "a" }

// flattener lifts members out of property bags. Whole is false once it has left something out. All else stays in its order,
// as it is spelled.
type flattener struct {
	jsontext.Cursor
	whole bool
}

// value steps over a value, and writes it.
func (l *flattener) value(out []byte, i item) []byte {
	switch first := l.Peek(); {
	case first == '[' && !i.isFree():
		out = append(out, '[')
		for l.Take('['); l.More(']'); {
			out = l.value(separated(out), i)
		}
		return append(out, ']')
	case first != '{' || i.isFree():
		return append(out, l.Raw()...)
	case i.maps == 0:
		return l.object(out, i.inner)
	}
	out = append(out, '{')
	for l.Take('{'); l.More('}'); {
		name := bag.APIName(string(l.Name()))
		out = l.value(append(jsontext.AppendText(separated(out), name), ':'), item{i.inner, i.maps - 1})
	}
	return append(out, '}')
}

// object writes the members of an object, and then those that its bag has. An object whose additional members are free JSON
// has all of its members itself.
func (l *flattener) object(out []byte, free *trie) []byte {
	out = append(out, '{')
	live, b := map[string]bool{}, 0
	for l.Take('{'); l.More('}'); {
		name := string(l.Name())
		if name == bag.Name {
			l.Peek()
			b = l.At
			l.Raw()
			continue
		}
		live[bag.APIName(name)] = true
		i, listed := free.member(name)
		out = l.member(out, name, i, listed)
	}
	if b == 0 || l.Data[b] != '{' {
		return append(out, '}')
	}
	end := l.At
	l.At = b
	for l.Take('{'); l.More('}'); {
		key := string(l.Name())
		name, ok := bag.KeyMember(key)
		if !ok || live[bag.APIName(name)] || name == bag.Name || free.isOpen() { // no member has that name in storage
			l.whole = false
			l.Raw()
			continue
		}
		live[bag.APIName(name)] = true
		i, listed := free.key(key)
		out = l.member(out, name, i, listed)
	}
	l.At = end
	return append(out, '}')
}

func (l *flattener) member(out []byte, name string, i item, listed bool) []byte {
	out = append(jsontext.AppendText(separated(out), bag.APIName(name)), ':')
	if listed && i.inner == nil && i.maps == 0 {
		return append(out, l.Raw()...)
	}
	return l.value(out, i)
}

// dictAt is the map of an open object's additional members.
func (s *shape) dictAt(p unsafe.Pointer) reflect.Value {
	return s.more.shape.dict(unsafe.Add(p, s.more.offset))
}
