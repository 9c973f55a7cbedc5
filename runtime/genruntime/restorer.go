package genruntime

import (
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// restorer reads what is hidden, and puts it into the values that are still there.
type restorer struct {
	// version is the label of the version that is read.
	version string
	// trusts reports whether the fingerprints of the bag are of the version that this package makes.
	trusts bool
	// raw is set for values that Decode took out just now: elements are where their indices say, and an entry of a bag is
	// replaced.
	raw bool
	// prints has notes on lists.
	prints printer
	// lists counts the lists that the value at hand is in.
	lists int
	// jumps are those of what is hidden in the section at hand.
	jumps *jsontext.Jumps
	// budget is how many bytes of additional members may be written so that parts of them stay covered. It grows with what is
	// hidden, so that the time does, too.
	budget int
}

var restorers = sync.Pool{New: func() any { return new(restorer) }}

// done gives the restorer back, without what it knows of the object.
func (r *restorer) done() {
	if cap(r.prints.elements) > maxKept || cap(r.prints.leaves) > maxKept {
		return
	}
	r.prints.forget()
	r.lists = 0
	restorers.Put(r)
}

func (r *restorer) part(s *shape, p unsafe.Pointer, hidden runtime.JSON) {
	if s != nil {
		r.jumps, r.budget = jsontext.FindJumps(hidden), leastBudget+len(hidden)
		r.value(s, p, r.cursor(hidden), nil)
		r.jumps = nil
	}
}

// leastBudget is more than any object has that the API server stores.
const leastBudget = 2 << 20

// cursor returns a cursor over a piece of what is hidden.
func (r *restorer) cursor(hidden runtime.JSON) *jsontext.Cursor {
	return &jsontext.Cursor{Data: hidden, Jumps: r.jumps}
}

// value restores the value of shape s at p, and steps over what is hidden in it.
func (r *restorer) value(s *shape, p unsafe.Pointer, c *jsontext.Cursor, keys []string) {
	s, p = s.reach(p)
	switch {
	case p == nil || !s.carries || c.Peek() != '{':
		c.Raw()
	case s.kind == objectKind:
		r.object(s, p, c)
	case s.kind == dictKind:
		r.dict(s, p, c)
	case s.kind == listKind:
		r.list(s, p, c.Raw(), keys)
	default:
		c.Raw()
	}
}

// ascending lets names pass that come in their order, each once, as Hide writes them. So nothing is visited more than
// once, whatever a bag says.
type ascending struct {
	last string
	any  bool
}

func (a *ascending) passes(name []byte) bool {
	if a.any && string(name) <= a.last {
		return false
	}
	a.last, a.any = jsontext.Borrow(name), true
	return true
}

func (r *restorer) object(s *shape, p unsafe.Pointer, c *jsontext.Cursor) {
	var order ascending
	for c.Take('{'); c.More('}'); {
		switch name := c.Name(); {
		case !r.raw && !order.passes(name):
			c.Raw()
		case string(name) == "bag" && s.hasBag:
			r.bag(s.bagAt(p), c)
		case string(name) == "in" && s.isMap() && r.raw:
			r.entries(s.more.shape, unsafe.Add(p, s.more.offset), c, bag.APIName)
		case string(name) == "in":
			r.fields(s, p, c)
		case string(name) == "more" && s.more != nil:
			r.entries(s.more.shape, unsafe.Add(p, s.more.offset), c, asItIs)
		default:
			c.Raw()
		}
	}
	if s.more != nil && s.hasBag && !r.raw {
		s.settleMembers(p, &r.budget)
	}
}

func (r *restorer) bag(b *runtime.PropertyBag, c *jsontext.Cursor) {
	for ok := c.Begin('{'); ok && c.More('}'); {
		name := string(c.Name())
		value := c.Raw()
		if _, live := (*b)[name]; live && !r.raw {
			continue
		}
		bag.Put(b, name, value)
	}
}

func (r *restorer) fields(s *shape, p unsafe.Pointer, c *jsontext.Cursor) {
	var order ascending
	for ok := c.Begin('{'); ok && c.More('}'); {
		name := c.Name()
		if f := s.member(jsontext.Borrow(name)); f != nil && (r.raw || order.passes(name)) {
			r.value(f.shape, unsafe.Add(p, f.offset), c, f.keys)
		} else {
			c.Raw()
		}
	}
}

func (r *restorer) dict(s *shape, p unsafe.Pointer, c *jsontext.Cursor) {
	seen := false
	for c.Take('{'); c.More('}'); {
		if string(c.Name()) == "in" && (r.raw || !seen) {
			seen = true
			r.entries(s, p, c, asItIs)
		} else {
			c.Raw()
		}
	}
}

// asItIs is a name that stays.
func asItIs(name string) string { return name }

// entries restores the values of the map at p, whose keys are called as what is hidden names them. A map whose values
// cannot carry a bag may be shared, so it stays untouched.
func (r *restorer) entries(s *shape, p unsafe.Pointer, c *jsontext.Cursor, called func(string) string) {
	if !s.elem.carries {
		c.Raw()
		return
	}
	var order ascending
	for ok := c.Begin('{'); ok && c.More('}'); {
		name := c.Name()
		key := reflect.ValueOf(called(string(name)))
		if !r.raw && !order.passes(name) {
			c.Raw()
		} else if !s.edit(p, key, func(value unsafe.Pointer) { r.value(s.elem, value, c, nil) }) {
			c.Raw()
		}
	}
}

// edit changes one value of the map at p, and reports whether there is one.
func (s *shape) edit(p unsafe.Pointer, key reflect.Value, change func(value unsafe.Pointer)) bool {
	entries := s.dict(p)
	key = key.Convert(s.of.Key())
	value := entries.MapIndex(key)
	if !value.IsValid() {
		return false
	}
	edited := reflect.New(s.of.Elem())
	edited.Elem().Set(value)
	change(edited.UnsafePointer())
	entries.SetMapIndex(key, edited.Elem())
	return true
}

// hiddenList is what is hidden in a list.
type hiddenList struct {
	all, keys        []byte
	by               string
	keyed            bool
	elements, leaves runtime.JSON
}

func (h *hiddenList) set(name []byte, value runtime.JSON) {
	switch string(name) {
	case "all":
		h.all = jsontext.Unquoted(value)
	case "by":
		h.by = string(jsontext.Unquoted(value))
	case "in":
		h.elements = value
	case "keyed":
		h.keyed = string(value) == "true"
	case "keys":
		h.keys = jsontext.Unquoted(value)
	case "leaves":
		h.leaves = value
	}
}

func (r *restorer) list(s *shape, p unsafe.Pointer, hidden runtime.JSON, keys []string) {
	var h hiddenList
	if s.length(p) == 0 || !r.cursor(hidden).EachMember(h.set) {
		return
	}
	find := r.finder(s, p, &h, keys)
	if find == nil {
		return
	}
	r.lists++
	defer func() { r.lists-- }()
	var seen []bool
	if !r.raw {
		seen = make([]bool, s.length(p))
	}
	c := r.cursor(h.elements)
	for ok := c.Take('['); ok && c.More(']'); {
		element := r.cursor(c.Raw())
		if !element.Take('[') {
			continue
		}
		i := find(element)
		if element.Take(','); 0 <= i && i < s.length(p) && (r.raw || !seen[i]) {
			if !r.raw {
				seen[i] = true
			}
			r.value(s.elem, s.element(p, i), element, nil)
		}
	}
}

// finder returns what reads the beginning of a hidden element and finds where it is now; nil if that is not known.
func (r *restorer) finder(s *shape, p unsafe.Pointer, h *hiddenList, keys []string) func(c *jsontext.Cursor) int {
	switch {
	case r.raw:
		return func(c *jsontext.Cursor) int { return int(c.Integer()) }
	case h.keyed:
		return r.keyed(s, p, keys)
	default:
		return r.aligned(s, p, h)
	}
}

// aligned returns what reads the index of a hidden element and finds where it is now; nil if that is not known.
func (r *restorer) aligned(s *shape, p unsafe.Pointer, h *hiddenList) func(c *jsontext.Cursor) int {
	was, ok := fingerprint.Unpack(h.all)
	if !ok || h.keyed {
		return nil
	}
	return findIn(r.now(s, p, h, was))
}

// findIn reads the index of an element as a list was, and finds it by where all are now.
func findIn(now []int) func(c *jsontext.Cursor) int {
	return func(c *jsontext.Cursor) int {
		i := c.Integer()
		if i < 0 || i >= int64(len(now)) {
			return fingerprint.Nobody
		}
		return now[i]
	}
}

// keyed is [restorer.aligned] for lists with a list key.
func (r *restorer) keyed(s *shape, p unsafe.Pointer, keys []string) func(c *jsontext.Cursor) int {
	fields, ok := identifiers(s.elem.object(), keys)
	if !ok || len(keys) == 0 {
		return nil
	}
	return findBy(identities(s, p, fields), r.trusts)
}

// findBy reads the index and the identity of an element, and finds it among identities; by its index where fingerprints
// are not to be trusted.
func findBy(identities []uint64, trusts bool) func(c *jsontext.Cursor) int {
	places := fingerprint.PlacesOf(identities)
	return func(c *jsontext.Cursor) int {
		i := c.Integer()
		c.Take(',')
		id, ok := fingerprint.Unpack(jsontext.Unquoted(c.Raw()))
		switch {
		case !trusts:
			return int(i)
		case !ok || len(id) != 1:
			return fingerprint.Nobody
		default:
			return places.Of(id[0])
		}
	}
}

// now finds, for every element of a list as it was, where it is.
func (r *restorer) now(s *shape, p unsafe.Pointer, h *hiddenList, was []uint64) []int {
	if !r.trusts {
		if len(was) != s.length(p) {
			return nil
		}
		return fingerprint.InOrder(len(was))
	}
	notes := r.prints.noted(s, p)
	if slices.EqualFunc(was, notes, func(print uint64, n elementNote) bool { return print == n.print }) {
		return fingerprint.InOrder(len(was))
	}
	if now := h.named(func(keys []string) ([]uint64, bool) { return appendIdentities(nil, s, p, keys) }); now != nil {
		return now
	}
	leaves := h.leaves
	if r.lists >= maxLeafLists {
		leaves = nil
	}
	now := fingerprint.Side{Prints: printsOf(notes), Leaves: liveLeaves(s, p)}
	return fingerprint.Align(fingerprint.Side{Prints: was, Leaves: hiddenLeaves(leaves)}, now)
}

// isMap reports whether an object has nothing but additional members: the API has a map in its place.
func (s *shape) isMap() bool { return s.more != nil && len(s.fields) == 0 }
