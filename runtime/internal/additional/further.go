package additional

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/notation"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// A property that one version names, and the additional member of that name which an open object of
// another version has, are one property. Between the two it lies in the property bag, under the
// keys that its values have wherever it is away: [genruntime.Lower] puts additional members there
// before a step, and [genruntime.Raise] takes them out again behind it.
//
// An additional member for which there is no key, since no version names it, or none with a value
// of that kind, lies under $additionalProperties where the object is closed, or names it. One that
// is the name of another property in an open object that shows it lies under $foreignProperties for
// those who do not.

// Further is a property that may be an additional member.
type Further struct {
	// Name is that of the additional member, and Key that of its values in property bags.
	Name string `json:"name"`
	Key  string `json:"key,omitzero"`
	// Kind is the JSON kind of these values: l for a list, m for a map, and then s for a text, i
	// for an integer, n for a number, b for a boolean, o for an object, a for free JSON.
	Kind string `json:"kind,omitzero"`
	// Free lists the members within these objects that are free JSON, or maps; the first list is that
	// of the objects themselves. What lies there is as the client wrote it. A key with a kind lists
	// what lies in the property bag where the object has a value of another kind under that name.
	Free notation.Lists `json:"free,omitzero"`
}

// free is the list of members that are as the client wrote them.
func (f *Further) free() *notation.List {
	if len(f.Free) == 0 {
		return nil
	}
	return f.Free.At(1)
}

// takes reports whether a property of the kind can have a value.
func (f *Further) takes(value runtime.JSON) bool {
	return notation.IsOfKindExcept(f.Kind, value, f.free())
}

// hasFree reports whether there may be free JSON in the values.
func (f *Further) hasFree() bool { return f.isFree() || len(f.Free) > 0 }

// isFree reports whether the values are free JSON, or lists or maps of it.
func (f *Further) isFree() bool { return strings.HasSuffix(f.Kind, "a") }

// Furthers are sorted by name.
type Furthers []Further

// named returns the entries of one name.
func (f Furthers) named(name string) Furthers {
	from, _ := slices.BinarySearchFunc(f, name, func(f Further, name string) int { return strings.Compare(f.Name, name) })
	to := from
	for to < len(f) && f[to].Name == name {
		to++
	}
	return f[from:to]
}

// keyOf returns the key under which a value of a member lies in bags; empty if there is none.
func (f Furthers) keyOf(name string, value runtime.JSON) string {
	if of := f.of(name, value); of != nil {
		return of.Key
	}
	return ""
}

// of returns the entry of a name that has the kind of a value; nil if there is none.
func (f Furthers) of(name string, value runtime.JSON) *Further {
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

// Lower returns the property bag of src with its additional members in it.
func Lower[S any](src *S, known Furthers, foreign []string) runtime.PropertyBag {
	s, p := shape.Of(reflect.TypeFor[S]()), unsafe.Pointer(src)
	l := lowering{bag: s.BagAt(p).Clone(), known: known}
	if l.bag == nil {
		l.bag = runtime.PropertyBag{}
	}
	others := entriesOf[runtime.JSON](l.bag, bag.NamedKey) // of a time when some of the members were objects of a type
	maps.Copy(others, entriesOf[runtime.JSON](l.bag, bag.AdditionalKey))
	setEntries(l.bag, bag.NamedKey, map[string]runtime.JSON{})
	l.rest, l.others = map[string]runtime.JSON{}, others
	own := map[string]runtime.JSON{}
	if s.Additional != nil {
		own = l.additional(s.Additional.Shape, unsafe.Add(p, s.Additional.Offset), foreign)
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		f := s.Member(bag.StoredName(name))
		_, shown := own[name]
		l.place(name, others[name], false, shown || f != nil && !f.Shape.IsAbsent(unsafe.Add(p, f.Offset)))
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
	known Furthers
	// rest are the members without a key.
	rest map[string]runtime.JSON
	// others are those that the bag had.
	others map[string]runtime.JSON
}

// additional puts the additional members at p into the bag, and returns them.
func (l *lowering) additional(s *shape.Shape, p unsafe.Pointer, foreign []string) map[string]runtime.JSON {
	own, covers, strangers := map[string]runtime.JSON{}, entriesOf[cover](l.bag, bag.CoveredKey), entriesOf[runtime.JSON](l.bag, bag.ForeignKey)
	setEntries(l.bag, bag.CoveredKey, map[string]cover{})
	for entries := s.MapAt(p).MapRange(); entries.Next(); {
		name := entries.Key().String()
		own[name] = entryText(s, p, name)
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		c, covers := covers[name]
		switch {
		case slices.Contains(foreign, name):
			strangers[name] = own[name]
		case covers && jsontext.IsSame(jsontext.OrNull(c.Shown), own[name]):
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

// keepParts adds to a member that was written, and has its key, what its cover hides of the value
// that was there.
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

// place puts a member under its key, or among the rest if it has none, or isKeyless is set. A live
// one replaces the one that lies there.
func (l *lowering) place(name string, value runtime.JSON, live, isKeyless bool) {
	if f := l.known.of(name, value); f != nil && f.Key != "" && !isKeyless {
		if _, taken := l.bag[f.Key]; !taken || live {
			l.bag[f.Key] = f.inBag(value, nil)
			return
		}
	}
	if _, taken := l.rest[name]; !taken || live {
		l.rest[name] = value
	}
}

// Raise takes the additional members of dst out of its property bag.
func Raise[D any](dst *D, known Furthers, foreign []string) {
	s, p := shape.Of(reflect.TypeFor[D]()), unsafe.Pointer(dst)
	b := s.BagAt(p)
	if len(*b) == 0 {
		return
	}
	r := raising{shape: s, bag: *b, known: known, rest: entriesOf[runtime.JSON](*b, bag.AdditionalKey)}
	r.leaveUnread()
	if s.Additional != nil {
		r.additional(s.Additional.Shape, unsafe.Add(p, s.Additional.Offset), foreign)
	}
	setEntries(r.bag, bag.AdditionalKey, r.rest)
	if len(*b) == 0 {
		*b = nil
	}
}

// raising is a bag that additional members are taken out of.
type raising struct {
	shape *shape.Shape
	bag   runtime.PropertyBag
	known Furthers
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
		if own := r.shape.Member(bag.StoredName(f.Name)); !found || own == nil || kindOfShape(own.Shape) != f.Kind || !f.takes(value) {
			continue
		}
		delete(r.bag, f.Key)
		r.rest[f.Name], _ = f.flattened(jsontext.OrNull(value))
	}
}

// additional fills the additional members at p.
func (r *raising) additional(s *shape.Shape, p unsafe.Pointer, foreign []string) {
	covers, strangers := entriesOf[cover](r.bag, bag.CoveredKey), entriesOf[runtime.JSON](r.bag, bag.ForeignKey)
	for _, name := range r.names() {
		if r.shape.Member(bag.StoredName(name)) == nil && !slices.Contains(foreign, name) {
			r.member(s, p, name, covers)
		}
	}
	for _, name := range foreign {
		if value, found := strangers[name]; found && r.shape.Member(bag.StoredName(name)) == nil && setEntry(s, p, name, value) {
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
func (r *raising) member(s *shape.Shape, p unsafe.Pointer, name string, covers map[string]cover) {
	c := cover{Stored: map[string]runtime.JSON{}}
	shown, whole := false, false
	for _, f := range r.known.named(name) {
		value, found := r.value(f)
		if !found {
			continue
		}
		c.Stored[f.Key] = jsontext.OrNull(value)
		flat, all := f.flattened(jsontext.OrNull(value))
		if shown || s.Elem.Kind != shape.JSON && !notation.IsOfKind(kindOfShape(s.Elem), flat) {
			continue
		}
		if shown = setEntry(s, p, name, flat); shown {
			c.Key, c.Shown, whole = f.Key, flat, all && f.hasNames()
			if s.Elem.Kind != shape.JSON && f.hasFree() { // free JSON comes back as it was spelled
				c.Shown = entryText(s, p, name)
				whole = whole && f.isSpelledAs(c.Shown, flat)
			}
		}
	}
	if value, found := r.rest[name]; found {
		c.Stored[bag.AdditionalKey] = value
		if !shown {
			if shown = setEntry(s, p, name, value); shown {
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

// follows reports whether what a member is made of follows from it. Whole is set where the member
// shows all of an object: then members are told from what lies in a property bag by the type that
// reads it.
func (r *raising) follows(name string, c cover, whole bool) bool {
	if len(c.Stored) > 1 || !whole && string(c.Stored[c.Key]) != string(c.Shown) {
		return false
	}
	key := r.known.keyOf(name, c.Shown)
	return key == c.Key || key == "" && c.Key == bag.AdditionalKey
}

// Set sets a value of the map at p, which is made where there is none, to what the API has. It
// refuses a value that is not as it is read.
func setEntry(s *shape.Shape, p unsafe.Pointer, name string, value runtime.JSON) bool {
	entry := reflect.New(s.Type.Elem())
	if free, ok := entry.Interface().(*runtime.JSON); ok {
		*free = jsontext.Present(value)
	} else if !(exactReader{}).reads(codec.InStorage(s.Elem, value), entry) {
		return false
	}
	entries := s.MapAt(p)
	if entries.IsNil() {
		entries.Set(reflect.MakeMap(s.Type))
	}
	entries.SetMapIndex(reflect.ValueOf(name).Convert(s.Type.Key()), entry.Elem())
	return true
}

// entryText is the JSON of an entry of the map at p, as the API has it.
func entryText(s *shape.Shape, p unsafe.Pointer, name string) runtime.JSON {
	text, _ := jsontext.Marshal(s.MapAt(p).MapIndex(reflect.ValueOf(name).Convert(s.Type.Key())).Interface()) // it has been JSON, or becomes none
	return codec.InAPI(s.Elem, text)
}

// exactReader reads JSON without losing anything.
type exactReader struct{}

func (exactReader) reads(value runtime.JSON, into reflect.Value) bool {
	if jsontext.Present(value) == nil {
		return false
	}
	return codec.DecodeStrictly(value, into.Interface()) && codec.IsFaithful(value, into.Interface())
}

// entriesOf reads the members of an entry of a bag; none if it is none, or no such object.
func entriesOf[T any](bag runtime.PropertyBag, key string) map[string]T {
	out := map[string]T{}
	if entry, found := bag[key]; found && kjson.UnmarshalCaseSensitivePreserveInts(jsontext.OrNull(entry), &out) != nil || out == nil {
		return map[string]T{}
	}
	return out
}

// setEntries makes members an entry of a bag; none where there are none.
// An entry that is no such object, or an empty one, stays, beside them if it must.
func setEntries[T any](b runtime.PropertyBag, key string, members map[string]T) {
	besides := key + bag.DamagedMark
	damaged, found := b[key]
	found = found && len(entriesOf[T](b, key)) == 0
	if !found {
		damaged, found = b[besides]
	}
	delete(b, key)
	delete(b, besides)
	if data, err := jsontext.Marshal(members); err == nil && len(members) > 0 {
		b[key], key = data, besides
	}
	if found {
		b[key] = damaged
	}
}

// furtherKind spells the kind of a shape as [Further] does; empty for what is none.
func kindOfShape(s *shape.Shape) string {
	switch s.Kind {
	case shape.Pointer:
		return kindOfShape(s.Elem)
	case shape.List:
		return "l" + kindOfShape(s.Elem)
	case shape.Map:
		return "m" + kindOfShape(s.Elem)
	case shape.Text:
		return "s"
	case shape.Integer:
		return "i"
	case shape.Number:
		return "n"
	case shape.Bool:
		return "b"
	case shape.JSON:
		return "a"
	case shape.Object:
		return "o"
	}
	return ""
}

// flattened returns a value as a client sees it who knows no more of it than that it is JSON: with
// the members of property bags beside the others, and names as the API has them. Entries of other
// versions are left out, if there are any it is false.
func (f *Further) flattened(value runtime.JSON) (runtime.JSON, bool) {
	if !f.hasNames() || !bag.HasNameLikeIn(value) {
		return value, true
	}
	l := flattener{Cursor: jsontext.Cursor{Data: value, Jumps: jsontext.FindJumps(value)}, whole: true}
	return l.value(make(runtime.JSON, 0, len(value)), f.names()), l.whole
}

// hasNames reports whether values of the property have names that are others in storage: as
// objects, or in maps.
func (f *Further) hasNames() bool {
	return strings.HasSuffix(f.Kind, "o") || strings.Contains(f.Kind, "m")
}

// names is the list of what lies within a value of the property.
func (f *Further) names() notation.Item {
	i := notation.Item{Inner: f.free(), Maps: strings.Count(f.Kind, "m")}
	if !strings.HasSuffix(f.Kind, "o") {
		i.Inner = notation.FreeJSON
	}
	return i
}

// stored returns a value of the property's kind, as clients write it, as it lies in bags: with the
// keys of maps that storage has. Members of objects are not called like a property bag where the
// value is of the kind.
func (f *Further) stored(value runtime.JSON) runtime.JSON {
	if !f.hasNames() || !bag.HasNameLikeIn(value) {
		return value
	}
	return appendStored(f.names(), make(runtime.JSON, 0, len(value)+len(bag.Name)), &jsontext.Cursor{Data: value})
}

// stored steps over a value, and writes it as it lies in bags.
func appendStored(i notation.Item, out []byte, c *jsontext.Cursor) []byte {
	switch first := c.Peek(); {
	case first == '[' && !i.IsFree():
		out = append(out, '[')
		for c.Take('['); c.More(']'); {
			out = appendStored(i, jsontext.Separate(out), c)
		}
		return append(out, ']')
	case first != '{' || i.IsFree():
		return append(out, c.Raw()...)
	}
	out = append(out, '{')
	for c.Take('{'); c.More('}'); {
		name := string(c.Name())
		out = jsontext.Separate(out)
		if i.Maps > 0 {
			out = appendStored(i.Value(), append(jsontext.AppendText(out, bag.StoredName(name)), ':'), c)
			continue
		}
		out = append(jsontext.AppendText(out, name), ':')
		if within, listed := i.Inner.Member(name); listed && within.Inner == nil && within.Maps == 0 {
			out = append(out, c.Raw()...)
		} else {
			out = appendStored(within, out, c)
		}
	}
	return append(out, '}')
}

// flattener lifts members out of property bags. Whole is false once it has left something out. All
// else stays in its order, as it is spelled.
type flattener struct {
	jsontext.Cursor
	whole bool
}

// value steps over a value, and writes it.
func (l *flattener) value(out []byte, i notation.Item) []byte {
	switch first := l.Peek(); {
	case first == '[' && !i.IsFree():
		out = append(out, '[')
		for l.Take('['); l.More(']'); {
			out = l.value(jsontext.Separate(out), i)
		}
		return append(out, ']')
	case first != '{' || i.IsFree():
		return append(out, l.Raw()...)
	case i.Maps == 0:
		return l.object(out, i.Inner)
	}
	out = append(out, '{')
	for l.Take('{'); l.More('}'); {
		name := bag.APIName(string(l.Name()))
		out = l.value(append(jsontext.AppendText(jsontext.Separate(out), name), ':'), i.Value())
	}
	return append(out, '}')
}

// object writes the members of an object, and then those that its bag has. An object whose
// additional members are free JSON has all of its members itself.
func (l *flattener) object(out []byte, free *notation.List) []byte {
	out = append(out, '{')
	start, b := l.Cursor, 0
	for l.Take('{'); l.More('}'); {
		name := string(l.Name())
		if name == bag.Name {
			l.Peek()
			b = l.At
			l.Raw()
			continue
		}
		i, listed := free.Member(name)
		out = l.member(out, name, i, listed)
	}
	if b == 0 || l.Data[b] != '{' {
		return append(out, '}')
	}
	live := jsontext.IndexOf(start.Raw(), l.Jumps, seenInObject)
	end := l.At
	l.At = b
	for l.Take('{'); l.More('}'); {
		key := string(l.Name())
		name, ok := bag.KeyMember(key)
		if !ok || live.Has(bag.APIName(name)) || name == bag.Name || free.IsOpen() { // no member has that name in storage
			l.whole = false
			l.Raw()
			continue
		}
		i, listed := free.Key(key)
		here := l.Cursor
		l.whole = l.whole && isDistinct(free, key, name, here.Raw(), l.Jumps)
		out = l.member(out, name, i, listed)
	}
	l.At = end
	return append(out, '}')
}

// seenInObject is the name by which clients see a member of an object in storage, if they do.
func seenInObject(name []byte) (string, bool) {
	return bag.APIName(jsontext.Borrow(name)), string(name) != bag.Name
}

func (l *flattener) member(out []byte, name string, i notation.Item, listed bool) []byte {
	out = append(jsontext.AppendText(jsontext.Separate(out), bag.APIName(name)), ':')
	if listed && i.Inner == nil && i.Maps == 0 {
		return append(out, l.Raw()...)
	}
	return l.value(out, i)
}
