package runtime

import (
	"bytes"
	"slices"
)

// edit is one conversion of an object's JSON. What it reads it copies to out as it stands, but for what a plan changes.
// Its methods that return a bool refuse with false what an object has to be made of; out is of no use then.
type edit struct {
	reader
	out []byte
	// down tells that the object becomes one of an API version, whose status tells what bags hold, byte by byte.
	down bool
	// stash is what goes to the property bags of the objects that are being read, the innermost last.
	stash []stashed
	// aside is the value that was set aside, a JSON string.
	aside []byte
	// shown is the text of status.propertyBag as it was read, a JSON string; inStatus tells that it may come.
	shown    []byte
	inStatus bool
	// between and hub are room for what is between two passes, and two conversions.
	between, hub []byte
}

// stashed is the value of a member that goes to a property bag: it lies between two places in what is read. Key is the
// index of the key that it gets. Or took is a value that was taken out of the bag.
type stashed struct {
	to         *recastMember
	shape      *shape
	start, end int
	key        int
	took       []byte
}

// value edits a value that has objects in it.
func (e *edit) value(s *shape, r *recast) bool {
	for s.kind == pointerKind {
		s = s.elem
	}
	switch {
	case r == nil || r.plain && !e.bags:
		return e.copy(s)
	case s.kind == objectKind:
		return e.object(r)
	case s.kind == listKind:
		return e.elements(s, r)
	case s.kind == dictKind:
		return e.entries(s, r)
	default:
		return false
	}
}

// copy copies a value as it stands.
func (e *edit) copy(s *shape) bool {
	e.peek()
	start := e.at
	if !e.conforms(s) {
		return false
	}
	e.out = append(e.out, e.data[start:e.at]...)
	return true
}

func (e *edit) elements(s *shape, r *recast) bool {
	if !e.take('[') || !e.enter() {
		return false
	}
	e.out = append(e.out, '[')
	for first := true; !e.take(']'); first = false {
		if !first && !e.comma() || !e.value(s.elem, r) {
			return false
		}
	}
	e.out = append(e.out, ']')
	e.leave()
	return true
}

// comma steps over a comma and writes one.
func (e *edit) comma() bool {
	e.out = append(e.out, ',')
	return e.take(',')
}

func (e *edit) entries(s *shape, r *recast) bool {
	if !e.take('{') || !e.enter() {
		return false
	}
	e.out = append(e.out, '{')
	for first := true; !e.take('}'); first = false {
		if !first && !e.comma() || e.peek() != '"' {
			return false
		}
		start := e.at
		if !e.skipText() || !e.take(':') {
			return false
		}
		e.out = append(e.out, e.data[start:e.at]...)
		if !e.value(s.elem, r) {
			return false
		}
	}
	e.out = append(e.out, '}')
	e.leave()
	return true
}

// object edits an object: first what is live, then what comes out of its property bag, then what goes there.
func (e *edit) object(r *recast) bool {
	if r.refuses || !e.take('{') || !e.enter() {
		return false
	}
	e.out = append(e.out, '{')
	m, mark := memberReader{of: r.of}, len(e.stash)
	var bag []byte
	start := 0
	for first := true; !e.take('}'); first = false {
		if !first && !e.take(',') {
			return false
		}
		name, ok := e.plainName()
		switch {
		case !ok:
			return false
		case e.bags && r.of.hasBag && bag == nil && string(name) == bagName:
			e.peek()
			start = e.at
			if bag = e.raw(); !isSmallBag(bag) {
				return false
			}
		case !e.field(r, &m, name):
			return false
		}
	}
	e.leave()
	if !m.isWhole() || !e.recall(r, &m, bag, start) || !e.bag(bag, mark) {
		return false
	}
	e.out = append(e.out, '}')
	return true
}

// rootDepth is how deep specs and statuses are nested.
const rootDepth = 2

// field edits a member of an object.
func (e *edit) field(r *recast, m *memberReader, name []byte) bool {
	f, again := m.find(name)
	if f == nil && e.inStatus && e.depth == rootDepth && e.shown == nil && string(name) == "propertyBag" {
		e.shown = e.raw()
		return len(e.shown) > 0 && e.shown[0] == '"'
	}
	if f == nil || again {
		return false
	}
	to := &r.members[m.next-1]
	switch to.fate {
	case asIs, kept:
		e.name(to.name)
		return e.value(f.shape, to.inner)
	case stowed:
		return e.stow(f, to)
	case aside:
		if r.unshown {
			return false
		}
		e.peek()
		start := e.at
		ok := e.conforms(f.shape)
		e.aside = e.data[start:e.at]
		return ok
	default:
		return e.conforms(f.shape)
	}
}

// name begins a member, behind a comma where it is not the first. The name is JSON with its colon.
func (e *edit) name(name string) {
	e.begin()
	e.out = append(e.out, name...)
}

func (e *edit) begin() {
	if last := e.out[len(e.out)-1]; last != '{' && last != '[' {
		e.out = append(e.out, ',')
	}
}

func (e *edit) stow(f *field, to *recastMember) bool {
	e.peek()
	start := e.at
	if !e.conforms(f.shape) {
		return false
	}
	e.stash = append(e.stash, stashed{to: to, shape: f.shape, start: start, end: e.at})
	return true
}

// bag writes the property bag of an object: what it had and nothing took, and what is stashed.
func (e *edit) bag(had []byte, mark int) bool {
	if had == nil && len(e.stash) == mark {
		return true
	}
	at := len(e.out)
	e.name(`"` + bagName + `":`)
	e.out = append(e.out, '{')
	empty := len(e.out)
	for i := mark; i < len(e.stash); i++ {
		if s := &e.stash[i]; s.took == nil && !e.choose(had, mark, i) {
			return false
		}
	}
	e.left(had, mark)
	for i := mark; i < len(e.stash); i++ {
		if s := e.stash[i]; s.took == nil {
			e.name(s.to.stow[s.key].name)
			at := len(e.out)
			if !e.again(s, s.to.stow[s.key].inner) || e.down && !e.rewrite(at, s.shape, s.to.stow[s.key].held) {
				return false
			}
		}
	}
	e.stash = e.stash[:mark]
	if len(e.out) == empty {
		e.out = e.out[:at]
		return true
	}
	e.out = append(e.out, '}')
	return true
}

// left writes the entries of a property bag that nothing took, and nothing that is stashed replaces.
func (e *edit) left(had []byte, mark int) {
	c := cursor{data: had}
	for ok := c.take('{'); ok && c.more('}'); {
		start := c.at
		name := c.raw()
		c.take(':')
		value := c.raw()
		gone := slices.ContainsFunc(e.stash[mark:], func(s stashed) bool {
			if s.took != nil {
				return &s.took[0] == &value[0]
			}
			key := s.to.stow[s.key].name
			return key[:len(key)-1] == string(name)
		})
		if !gone {
			e.begin()
			e.out = append(e.out, had[start:c.at]...)
		}
	}
}

// choose finds the key for the value i of the stash: the first that nothing else has. It refuses where that is not clear.
func (e *edit) choose(had []byte, mark, i int) bool {
	s := &e.stash[i]
	for s.key = range s.to.stow {
		name := s.to.stow[s.key].name
		other := slices.ContainsFunc(e.stash[mark:], func(o stashed) bool {
			return o.took == nil && o.to != s.to && slices.ContainsFunc(o.to.stow, func(k stowing) bool { return k.name == name })
		})
		switch last := s.key == len(s.to.stow)-1; {
		case other:
			return false
		case last || !e.keeps(had, mark, name):
			return !s.to.stow[s.key].refuses
		}
	}
	return false
}

// keeps tells whether a property bag has an entry of a name that nothing took.
func (e *edit) keeps(had []byte, mark int, name string) bool {
	value := memberOf(had, name[1:len(name)-2])
	return value != nil && !slices.ContainsFunc(e.stash[mark:], func(s stashed) bool { return s.took != nil && &s.took[0] == &value[0] })
}

// rewrite writes what stands behind a place as its type does. Held is the shape of the objects in it, if that is another.
func (e *edit) rewrite(at int, s, held *shape) bool {
	e.between = append(e.between[:0], e.out[at:]...)
	out, ok := appendAs(e.out[:at], s, held, e.between)
	e.out = out
	return ok
}

// again edits what was stepped over.
func (e *edit) again(s stashed, r *recast) bool {
	if r == nil || r.plain {
		e.out = append(e.out, e.data[s.start:s.end]...)
		return true
	}
	at := e.at
	e.at = s.start
	ok := e.value(s.shape, r)
	e.at = at
	return ok
}

// recall takes from a property bag, which begins at start, what the object's other shape has.
func (e *edit) recall(r *recast, m *memberReader, bag []byte, start int) bool {
	if bag == nil {
		return true
	}
	for i := range r.takings {
		t := &r.takings[i]
		if t.live >= 0 && m.has(t.live) {
			continue
		}
		key, value, at := t.find(bag)
		if value == nil {
			continue
		}
		if key.shape == nil || r.disputed || value[0] == 'n' {
			return false
		}
		e.name(t.name)
		if !e.from(start+at, key) {
			return false
		}
		e.stash = append(e.stash, stashed{took: value})
	}
	return true
}

// from edits a value that was stepped over.
func (e *edit) from(start int, key *takingKey) bool {
	at := e.at
	e.at = start
	ok := false
	if key.inner == nil {
		ok = e.copy(key.shape)
	} else {
		ok = e.value(key.shape, key.inner)
	}
	e.at = at
	return ok
}

// find returns the value of the first key that a bag has, and where it begins; nil if it has none.
func (t *taking) find(bag JSON) (key *takingKey, value JSON, at int) {
	for i := range t.keys {
		if value, at := memberAt(bag, t.keys[i].key); value != nil {
			return &t.keys[i], value, at
		}
	}
	return nil, nil, 0
}

// isSmallBag tells whether JSON is an object whose few members have different, plain names.
func isSmallBag(bag []byte) bool {
	const most, size = 64, 1 << 18
	var names [most][]byte
	n, c := 0, cursor{data: bag}
	if len(bag) > size || !c.take('{') {
		return false
	}
	for ; c.more('}'); n++ {
		name := c.raw()
		if n == most || bytes.IndexByte(name, '\\') >= 0 {
			return false
		}
		for _, other := range names[:n] {
			if bytes.Equal(name, other) {
				return false
			}
		}
		names[n] = name
		c.take(':')
		c.raw()
	}
	return true
}

// memberOf returns a member of a JSON object, the first of its name; nil if there is none.
func memberOf(object JSON, name string) JSON {
	value, _ := memberAt(object, name)
	return value
}

// memberAt is memberOf, and where the value begins.
func memberAt(object JSON, name string) (value JSON, at int) {
	c := cursor{data: object}
	for ok := c.take('{'); ok && c.more('}'); {
		key := c.raw()
		c.take(':')
		value := c.raw()
		if len(key) >= 2 && string(key[1:len(key)-1]) == name {
			return value, c.at - len(value)
		}
	}
	return nil, 0
}

// insert puts text into out.
func (e *edit) insert(at int, text []byte) {
	e.out = append(e.out, text...)
	copy(e.out[at+len(text):], e.out[at:len(e.out)-len(text)])
	copy(e.out[at:], text)
}

var bagMark = []byte(`"` + bagName + `"`)

// mayHaveBags tells whether a property bag may be in JSON.
func mayHaveBags(data []byte) bool { return bytes.Contains(data, bagMark) }
