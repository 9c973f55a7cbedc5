package additional

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/notation"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// LowerNamed is [Lower] for additional members that are objects of a type.
func LowerNamed[S any](src *S, known Furthers, foreign []string) (*S, runtime.PropertyBag) {
	s, p := shape.Of(reflect.TypeFor[S]()), unsafe.Pointer(src)
	l := namedLowering{lowering: lowering{bag: s.BagAt(p).Clone(), known: known, rest: map[string]runtime.JSON{}}}
	if l.bag == nil {
		l.bag = runtime.PropertyBag{}
	}
	waiting := entriesOf[runtime.JSON](l.bag, bag.NamedKey)
	l.others = waiting
	own := map[string]runtime.JSON{}
	if s.Additional != nil {
		copied := new(S)
		*copied = *src
		l.members = namedMembersAt(s.Additional.Shape, unsafe.Add(unsafe.Pointer(copied), s.Additional.Offset))
		if own = l.namedMembers(foreign); l.members.changed {
			l.members.finish()
			src = copied
		}
	} else {
		l.dropCovers()
	}
	for _, name := range slices.Sorted(maps.Keys(waiting)) {
		f := s.Member(bag.StoredName(name))
		_, visible := own[name]
		l.store(name, waiting[name], false, visible || f != nil && !f.Shape.IsAbsent(unsafe.Add(p, f.Offset)))
	}
	l.fromMaps(waiting)
	setEntries(l.bag, bag.NamedKey, l.rest)
	if len(l.bag) == 0 {
		return src, nil
	}
	return src, l.bag
}

// namedLowering is a bag in which LowerNamed stores additional members.
type namedLowering struct {
	lowering
	members *namedMembers
}

// namedMembers moves the members with known names into the bag, and returns them.
func (l *namedLowering) namedMembers(foreign []string) map[string]runtime.JSON {
	own, covers, strangers := map[string]runtime.JSON{}, entriesOf[cover](l.bag, bag.CoveredKey), entriesOf[runtime.JSON](l.bag, bag.ForeignKey)
	setEntries(l.bag, bag.CoveredKey, map[string]cover{})
	for _, name := range l.known.names(foreign) {
		value := l.members.text(name)
		if value == nil {
			continue
		}
		own[name] = value
		c, covers := covers[name]
		switch {
		case slices.Contains(foreign, name):
			strangers[name] = value
			l.members.remove(name)
		case covers && jsontext.IsSame(jsontext.OrNull(c.Visible), value) && l.isMade(c):
			l.members.remove(name)
			if hidden, found := c.Stored[bag.ForeignKey]; found {
				strangers[name] = hidden
			}
			l.unshow(name, c)
		default: // changed parts of the visible value lose their cover
			l.forget(name)
			l.live(name, value, c)
		}
	}
	setEntries(l.bag, bag.ForeignKey, strangers)
	return own
}

// isMade reports whether a conversion can have made a cover.
func (l *namedLowering) isMade(c cover) bool {
	if c.Key != bag.NamedKey {
		return c.isMade(c.Visible)
	}
	plain, ok := plainOf(l.members.shape.Elem, jsontext.OrNull(c.Visible))
	return !ok || c.isMade(plain)
}

// unshow is uncover, but also restores the value that was in the map itself.
func (l *namedLowering) unshow(name string, c cover) {
	delete(c.Stored, bag.ForeignKey)
	if value, found := c.Stored[bag.AdditionalKey]; found {
		l.members.put(name, value)
		delete(c.Stored, bag.AdditionalKey)
	}
	l.uncover(name, c)
}

// live stores a member that a client wrote under its key, or among those without a key. A member
// that cannot be plain JSON stays.
func (l *namedLowering) live(name string, value runtime.JSON, c cover) {
	plain, ok := plainOf(l.members.shape.Elem, value)
	if !ok {
		return
	}
	l.members.remove(name)
	if f := l.known.of(name, plain); f != nil && f.Key != "" {
		l.bag[f.Key] = f.inBag(plain, nil)
		l.keepParts(name, plain, c)
	} else {
		l.rest[name] = plain
	}
}

// fromMaps moves members whose names have become known out of maps that the bag stores. It does
// nothing if the object itself has additional members. A member with its own property bag is no
// free JSON, and stays.
func (l *namedLowering) fromMaps(waiting map[string]runtime.JSON) {
	for _, key := range bag.SortedKeys(l.bag) {
		if key != bag.AdditionalKey && !strings.HasPrefix(key, bag.AdditionalKey+"@v") || strings.HasSuffix(key, bag.RawSuffix) || l.members != nil {
			continue
		}
		members := entriesOf[runtime.JSON](l.bag, key)
		count := len(members)
		for _, name := range l.known.names(nil) {
			f := l.known.of(name, members[name])
			if f == nil || f.Key == "" || l.bag[f.Key] != nil || waiting[name] != nil || f.isFree() && bag.HasNameLikeIn(members[name]) {
				continue
			}
			l.bag[f.Key] = members[name]
			delete(members, name)
		}
		if len(members) < count {
			setEntries(l.bag, key, members)
		}
	}
}

// names returns the names of all properties and others, sorted and without duplicates.
func (f Furthers) names(others []string) []string {
	names := slices.Clone(others)
	for i := range f {
		names = append(names, f[i].Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// RaiseNamed is [Raise] for additional members that are objects of a type.
func RaiseNamed[D any](dst *D, known Furthers, foreign []string) {
	s, p := shape.Of(reflect.TypeFor[D]()), unsafe.Pointer(dst)
	b := s.BagAt(p)
	var members *namedMembers
	if s.Additional != nil {
		members = namedMembersAt(s.Additional.Shape, unsafe.Add(p, s.Additional.Offset))
	}
	if len(*b) == 0 && (members == nil || !members.any(s, foreign)) {
		return
	}
	if *b == nil {
		*b = runtime.PropertyBag{}
	}
	r := namedRaising{raising: raising{shape: s, bag: *b, known: known, rest: entriesOf[runtime.JSON](*b, bag.NamedKey)}, members: members}
	r.leaveUnread()
	if members != nil {
		r.namedMembers(foreign)
		members.finish()
	}
	setEntries(r.bag, bag.NamedKey, r.rest)
	if len(*b) == 0 {
		*b = nil
	}
}

// namedRaising is a bag from which RaiseNamed restores additional members.
type namedRaising struct {
	raising
	members *namedMembers
}

// clear removes members whose names the object has for other properties, and stores them in the
// bag.
func (r *namedRaising) clear(strangers map[string]runtime.JSON, foreign []string) {
	for _, name := range r.members.taken(r.shape, foreign) {
		value := r.members.text(name)
		plain, ok := plainOf(r.members.shape.Elem, value)
		if _, waits := r.rest[name]; ok && !waits {
			r.rest[name] = plain
		} else if _, found := strangers[name]; !found {
			strangers[name] = value
		}
		r.members.remove(name)
	}
}

// namedMembers sets the additional members.
func (r *namedRaising) namedMembers(foreign []string) {
	covers, strangers := entriesOf[cover](r.bag, bag.CoveredKey), entriesOf[runtime.JSON](r.bag, bag.ForeignKey)
	r.clear(strangers, foreign)
	for _, name := range r.known.names(nil) {
		if r.shape.Member(bag.StoredName(name)) == nil && !slices.Contains(foreign, name) {
			r.show(name, covers, strangers)
		}
	}
	for name, value := range strangers {
		if !r.canBePlain(value) && r.shape.Member(bag.StoredName(name)) == nil && r.members.text(name) == nil && r.members.put(name, value) {
			delete(strangers, name)
		}
	}
	for _, name := range foreign {
		if value, found := strangers[name]; found && r.shape.Member(bag.StoredName(name)) == nil && r.members.put(name, value) {
			delete(strangers, name)
		}
	}
	setEntries(r.bag, bag.CoveredKey, covers)
	setEntries(r.bag, bag.ForeignKey, strangers)
}

// show moves one member out of the bag, with all values that it has there and in the map. Its
// cover also has a value from strangers that cannot be plain JSON; it is an older value of the
// member.
func (r *namedRaising) show(name string, covers map[string]cover, strangers map[string]runtime.JSON) {
	c := cover{Stored: map[string]runtime.JSON{}}
	var visible runtime.JSON // the visible form of the stored value, if that is complete
	if value := r.members.text(name); value != nil {
		c.Stored[bag.AdditionalKey] = value
	}
	for _, f := range r.known.named(name) {
		value, found := r.value(f)
		if !found {
			continue
		}
		c.Stored[f.Key] = jsontext.OrNull(value)
		plain, whole := f.flattened(jsontext.OrNull(value))
		if c.Key == "" && r.members.putPlain(name, plain) {
			c.Key = f.Key
			if whole {
				visible = plain
			}
		}
	}
	if value, found := r.rest[name]; found {
		if c.Stored[bag.NamedKey] = value; c.Key == "" && c.Stored[bag.AdditionalKey] == nil && r.members.putPlain(name, value) {
			c.Key, visible = bag.NamedKey, jsontext.OrNull(value)
		}
	}
	if c.Key == "" && c.Stored[bag.AdditionalKey] != nil {
		c.Key = bag.AdditionalKey
	}
	if c.Key == "" {
		return
	}
	c.Visible = r.members.text(name)
	delete(r.rest, name)
	for key := range c.Stored {
		if key != bag.AdditionalKey {
			delete(r.bag, key)
		}
	}
	if value, found := strangers[name]; found && !r.canBePlain(value) {
		c.Stored[bag.ForeignKey] = value
		delete(strangers, name)
	}
	if !r.isPlain(name, c, visible) {
		covers[name] = c
	}
}

// canBePlain reports whether the bag can store a value of an additional member as plain JSON.
func (r *namedRaising) canBePlain(value runtime.JSON) bool {
	_, plain := plainOf(r.members.shape.Elem, value)
	return plain
}

// isPlain reports whether the stored values of a member follow from the member alone, so that it
// needs no cover. Free JSON keeps its spelling, so that the spelling must follow, too.
func (r *namedRaising) isPlain(name string, c cover, visible runtime.JSON) bool {
	if len(c.Stored) > 1 || c.Key == bag.AdditionalKey {
		return len(c.Stored) == 1
	}
	plain, ok := plainOf(r.members.shape.Elem, c.Visible)
	f := r.known.of(name, plain)
	switch {
	case !ok || visible == nil:
		return false
	case f == nil || f.Key == "":
		return c.Key == bag.NamedKey && jsontext.IsSame(plain, visible)
	}
	return c.Key == f.Key && jsontext.IsSame(plain, visible) && f.isSpelledAs(plain, visible)
}

// namedMembers changes additional members in a copy of their map.
type namedMembers struct {
	shape   *shape.Shape
	at      unsafe.Pointer
	changed bool
}

func namedMembersAt(s *shape.Shape, p unsafe.Pointer) *namedMembers {
	return &namedMembers{shape: s, at: p}
}

func (m *namedMembers) key(name string) reflect.Value {
	return reflect.ValueOf(name).Convert(m.shape.Type.Key())
}

func (m *namedMembers) has(name string) bool {
	return m.shape.MapAt(m.at).MapIndex(m.key(name)).IsValid()
}

// text returns the JSON of a member in storage, and nil if it is absent.
func (m *namedMembers) text(name string) runtime.JSON {
	value := m.shape.MapAt(m.at).MapIndex(m.key(name))
	if !value.IsValid() {
		return nil
	}
	text, _ := codec.EntryOf(value) // the value was read from JSON
	return text
}

// textUpTo is text for a member whose JSON is not much longer than length. It returns nil for a
// longer one.
func (m *namedMembers) textUpTo(name string, length int) runtime.JSON {
	value := m.shape.MapAt(m.at).MapIndex(m.key(name))
	if !value.IsValid() {
		return nil
	}
	entry := reflect.New(m.shape.Type.Elem())
	entry.Elem().Set(value)
	w := codec.Writer{Limit: length, Sorted: true}
	if w.Value(m.shape.Elem, entry.UnsafePointer(), nil, nil) != nil {
		return nil
	}
	return w.Out
}

// own returns the map, and copies it before the first change.
func (m *namedMembers) own() reflect.Value {
	entries := m.shape.MapAt(m.at)
	if !m.changed {
		m.changed = true
		copied := reflect.MakeMapWithSize(m.shape.Type, entries.Len()+1)
		for e := entries.MapRange(); e.Next(); {
			copied.SetMapIndex(e.Key(), e.Value())
		}
		entries.Set(copied)
	}
	return entries
}

func (m *namedMembers) remove(name string) {
	if m.has(name) {
		m.own().SetMapIndex(m.key(name), reflect.Value{})
	}
}

// put sets a member to a value in its stored form. It returns false if reading the value would
// lose something. Free JSON may be null.
func (m *namedMembers) put(name string, value runtime.JSON) bool {
	entry := reflect.New(m.shape.Type.Elem())
	if free, ok := entry.Interface().(*runtime.JSON); ok {
		*free = jsontext.Present(value)
	} else if !codec.DecodeExactly(value, entry.Interface()) {
		return false
	}
	m.own().SetMapIndex(m.key(name), entry.Elem())
	return true
}

// putPlain is put for a value in the form of the API.
func (m *namedMembers) putPlain(name string, value runtime.JSON) bool {
	c := jsontext.Cursor{Data: value}
	if !canBe(m.shape.Elem, &c) {
		return false
	}
	return m.put(name, codec.InStorage(m.shape.Elem, value))
}

// finish replaces an empty map by nil.
func (m *namedMembers) finish() {
	if entries := m.shape.MapAt(m.at); m.changed && entries.Len() == 0 {
		entries.SetZero()
	}
}

// taken returns the members whose names an object has for other properties, sorted.
func (m *namedMembers) taken(s *shape.Shape, foreign []string) []string {
	var out []string
	entries := m.shape.MapAt(m.at)
	if entries.Len() == 0 {
		return nil
	}
	for i := range s.Fields {
		if name := bag.APIName(s.Fields[i].Name); entries.MapIndex(m.key(name)).IsValid() {
			out = append(out, name)
		}
	}
	for _, name := range foreign {
		if entries.MapIndex(m.key(name)).IsValid() {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (m *namedMembers) any(s *shape.Shape, foreign []string) bool {
	return len(m.taken(s, foreign)) > 0
}

// canBe reports whether a value of a shape can be plain JSON, and steps over it. The value must
// have no null that reading would lose. A member that a bag would store must contain no name like
// that of a property bag.
func canBe(s *shape.Shape, c *jsontext.Cursor) bool {
	switch {
	case s.Kind == shape.Pointer:
		return canBe(s.Elem, c)
	case s.Kind == shape.JSON:
		c.Raw()
		return true
	case s.Kind == shape.Object && c.Peek() == '{':
		for c.Take('{'); c.More('}'); {
			f := s.Member(bag.StoredName(string(c.Name())))
			switch {
			case c.Peek() == 'n' && (f != nil || s.Additional == nil || s.Additional.Shape.Elem.Kind != shape.JSON):
				return false
			case f != nil && canBe(f.Shape, c):
			case f == nil && s.Additional != nil && canBe(s.Additional.Shape.Elem, c):
			case f == nil && s.Additional == nil && !bag.HasNameLikeIn(c.Raw()):
			default:
				return false
			}
		}
		return true
	case s.Kind == shape.Map && c.Peek() == '{':
		for c.Take('{'); c.More('}'); {
			if c.Name(); c.Peek() == 'n' && s.Elem.Kind != shape.JSON || !canBe(s.Elem, c) {
				return false
			}
		}
		return true
	case s.Kind == shape.List && c.Peek() == '[':
		for c.Take('['); c.More(']'); {
			if c.Peek() == 'n' && s.Elem.Kind != shape.JSON || !canBe(s.Elem, c) {
				return false
			}
		}
		return true
	}
	c.Raw()
	return true
}

// plainOf returns a value of a shape without property bags: the members that they store stand
// beside the others. It returns false if a bag has other entries.
func plainOf(s *shape.Shape, value runtime.JSON) (runtime.JSON, bool) {
	if s.Kind == shape.JSON || !bag.HasNameLikeIn(value) {
		return value, true
	}
	l := lifter{whole: true, jumps: jsontext.FindJumps(value)}
	plain, err := jsontext.Marshal(l.value(s, value))
	return plain, l.whole && err == nil
}

// lifter moves members out of the property bags of a value. Whole is false once a bag has another
// entry.
type lifter struct {
	whole bool
	// jumps are those of the outermost value, so that no level is parsed again for each level
	// around it.
	jumps *jsontext.Jumps
}

// cursor returns a cursor over a part of the outermost value.
func (l *lifter) cursor(value runtime.JSON) *jsontext.Cursor {
	return &jsontext.Cursor{Data: value, Jumps: l.jumps}
}

// value returns the value to marshal. Entries of bags are plain JSON already.
func (l *lifter) value(s *shape.Shape, value runtime.JSON) any {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	c := l.cursor(value)
	switch first := c.Peek(); {
	case s.Kind == shape.Object && first == '{':
		return l.object(s, value)
	case s.Kind == shape.Map && first == '{':
		out := map[string]any{}
		c.EachMember(func(name []byte, value runtime.JSON) { out[bag.APIName(string(name))] = l.value(s.Elem, value) })
		return out
	case s.Kind == shape.List && first == '[':
		out := []any{}
		for c.Take('['); c.More(']'); {
			out = append(out, l.value(s.Elem, c.Raw()))
		}
		return out
	}
	return value
}

// takesMember reports whether a value may be an additional member of an object. An entry of its
// bag with such a value is another property, and must not become a member.
func takesMember(s *shape.Shape, value runtime.JSON) bool {
	return s.Additional != nil && (s.Additional.Shape.Elem.Kind == shape.JSON || notation.IsOfKind(kindOfShape(s.Additional.Shape.Elem), value))
}

func (l *lifter) object(s *shape.Shape, object runtime.JSON) any {
	out := map[string]any{}
	var b runtime.JSON
	l.cursor(object).EachMember(func(key []byte, value runtime.JSON) {
		name := string(key)
		switch f := s.Member(name); {
		case name == bag.Name && s.HasBag:
			b = value
		case f != nil:
			out[bag.APIName(name)] = l.value(f.Shape, value)
		case s.Additional != nil:
			out[bag.APIName(name)] = l.value(s.Additional.Shape.Elem, value)
		default:
			out[bag.APIName(name)] = value
		}
	})
	l.cursor(b).EachMember(func(key []byte, value runtime.JSON) {
		name, ok := bag.KeyMember(string(key))
		if _, live := out[bag.APIName(name)]; live || !ok || name == bag.Name || takesMember(s, value) { // no member has that name in storage
			l.whole = false
			return
		}
		out[bag.APIName(name)] = value
	})
	return out
}
