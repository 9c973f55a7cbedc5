package hidden

import (
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/additional"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Restorer reads what is hidden, and puts it into the values that are still there.
type Restorer struct {
	// Version is the label of the version that is read.
	Version string
	// Trusts reports whether the fingerprints of the bag are of the version that this package
	// makes.
	Trusts bool
	// raw is set for values that Decode took out just now: elements are where their indices say,
	// and an entry of a bag is replaced.
	raw bool
	// Prints has notes on lists.
	Prints Printer
	// lists counts the lists that the value at hand is in.
	lists int
	// jumps are those of what is hidden in the section at hand.
	jumps *jsontext.Jumps
	// budget is how many bytes of additional members may be written so that parts of them stay
	// covered. It grows with what is hidden, so that the time does, too.
	budget int
}

// Restorers are restorers to use again; Done puts them back.
var Restorers = sync.Pool{New: func() any { return new(Restorer) }}

// Done gives the restorer back, without what it knows of the object.
func (r *Restorer) Done() {
	if cap(r.Prints.elements) > maxKept || cap(r.Prints.leaves) > maxKept {
		return
	}
	r.Prints.forget()
	r.lists = 0
	Restorers.Put(r)
}

// Part restores what is hidden in one section, the value of shape s at p. It does nothing if s is
// nil.
func (r *Restorer) Part(s *shape.Shape, p unsafe.Pointer, hidden runtime.JSON) {
	if s != nil {
		r.jumps, r.budget = jsontext.FindJumps(hidden), leastBudget+len(hidden)
		r.value(s, p, r.cursor(hidden), nil)
		r.jumps = nil
	}
}

// leastBudget is more than any object has that the API server stores.
const leastBudget = 2 << 20

// cursor returns a cursor over a piece of what is hidden.
func (r *Restorer) cursor(hidden runtime.JSON) *jsontext.Cursor {
	return &jsontext.Cursor{Data: hidden, Jumps: r.jumps}
}

// value restores the value of shape s at p, and steps over what is hidden in it.
func (r *Restorer) value(s *shape.Shape, p unsafe.Pointer, c *jsontext.Cursor, keys []string) {
	s, p = s.Reach(p)
	switch {
	case p == nil || !s.CarriesBag || c.Peek() != '{':
		c.Raw()
	case s.Kind == shape.Object:
		r.object(s, p, c)
	case s.Kind == shape.Map:
		r.dict(s, p, c)
	case s.Kind == shape.List:
		r.list(s, p, c.Raw(), keys)
	default:
		c.Raw()
	}
}

// ascending lets names pass that come in their order, each once, as Hide writes them. So nothing is
// visited more than once, whatever a bag says.
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

func (r *Restorer) object(s *shape.Shape, p unsafe.Pointer, c *jsontext.Cursor) {
	var order ascending
	for c.Take('{'); c.More('}'); {
		name := c.Name()
		if !r.raw && !order.passes(name) {
			c.Raw()
			continue
		}
		switch section := SectionOf(name, c.Peek()); {
		case section == Entries && s.HasBag:
			r.bag(s.BagAt(p), c)
		case section == Members && s.IsOpenMap() && r.raw:
			r.entries(s.Additional.Shape, unsafe.Add(p, s.Additional.Offset), c, bag.APIName)
		case section == Members:
			r.fields(s, p, c)
		case section == More && s.Additional != nil:
			r.entries(s.Additional.Shape, unsafe.Add(p, s.Additional.Offset), c, asItIs)
		default:
			c.Raw()
		}
	}
	if s.Additional != nil && s.HasBag && !r.raw {
		additional.Settle(s, p, &r.budget)
	}
}

func (r *Restorer) bag(b *runtime.PropertyBag, c *jsontext.Cursor) {
	for ok := c.Begin('{'); ok && c.More('}'); {
		name := string(c.Name())
		value := c.Raw()
		if _, live := (*b)[name]; live && !r.raw {
			continue
		}
		bag.Put(b, name, value)
	}
}

func (r *Restorer) fields(s *shape.Shape, p unsafe.Pointer, c *jsontext.Cursor) {
	var order ascending
	for ok := c.Begin('{'); ok && c.More('}'); {
		name := c.Name()
		if f := s.Member(jsontext.Borrow(name)); f != nil && (r.raw || order.passes(name)) {
			r.value(f.Shape, unsafe.Add(p, f.Offset), c, f.Keys)
		} else {
			c.Raw()
		}
	}
}

func (r *Restorer) dict(s *shape.Shape, p unsafe.Pointer, c *jsontext.Cursor) {
	seen := false
	for c.Take('{'); c.More('}'); {
		if SectionOf(c.Name(), c.Peek()) == Members && (r.raw || !seen) {
			seen = true
			r.entries(s, p, c, asItIs)
		} else {
			c.Raw()
		}
	}
}

// asItIs is a name that stays.
func asItIs(name string) string { return name }

// entries restores the values of the map at p, whose keys are called as what is hidden names them.
// A map whose values cannot carry a bag may be shared, so it stays untouched.
func (r *Restorer) entries(s *shape.Shape, p unsafe.Pointer, c *jsontext.Cursor, called func(string) string) {
	if !s.Elem.CarriesBag {
		c.Raw()
		return
	}
	var order ascending
	for ok := c.Begin('{'); ok && c.More('}'); {
		name := c.Name()
		key := reflect.ValueOf(called(string(name)))
		if !r.raw && !order.passes(name) {
			c.Raw()
		} else if !s.EditEntry(p, key, func(value unsafe.Pointer) { r.value(s.Elem, value, c, nil) }) {
			c.Raw()
		}
	}
}

func (r *Restorer) list(s *shape.Shape, p unsafe.Pointer, hidden runtime.JSON, keys []string) {
	var h list
	if s.Length(p) == 0 || !r.cursor(hidden).EachMember(h.set) {
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
		seen = make([]bool, s.Length(p))
	}
	c := r.cursor(h.elements)
	for ok := c.Take('['); ok && c.More(']'); {
		element := r.cursor(c.Raw())
		if !element.Take('[') {
			continue
		}
		i := find(element)
		if element.Take(','); 0 <= i && i < s.Length(p) && (r.raw || !seen[i]) {
			if !r.raw {
				seen[i] = true
			}
			r.value(s.Elem, s.Element(p, i), element, nil)
		}
	}
}

// finder returns what reads the beginning of a hidden element and finds where it is now; nil if
// that is not known.
func (r *Restorer) finder(s *shape.Shape, p unsafe.Pointer, h *list, keys []string) func(c *jsontext.Cursor) int {
	switch {
	case r.raw:
		return func(c *jsontext.Cursor) int { return int(c.Integer()) }
	case h.keyed:
		return r.keyed(s, p, keys)
	default:
		return r.aligned(s, p, h)
	}
}

// aligned returns what reads the index of a hidden element and finds where it is now; nil if that
// is not known.
func (r *Restorer) aligned(s *shape.Shape, p unsafe.Pointer, h *list) func(c *jsontext.Cursor) int {
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

// keyed is [Restorer.aligned] for lists with a list key.
func (r *Restorer) keyed(s *shape.Shape, p unsafe.Pointer, keys []string) func(c *jsontext.Cursor) int {
	fields, ok := identifiers(s.Elem.Object(), keys)
	if !ok || len(keys) == 0 {
		return nil
	}
	return findBy(identities(s, p, fields), r.Trusts)
}

// findBy reads the index and the identity of an element, and finds it among identities; by its
// index where fingerprints are not to be trusted.
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
func (r *Restorer) now(s *shape.Shape, p unsafe.Pointer, h *list, was []uint64) []int {
	if !r.Trusts {
		if len(was) != s.Length(p) {
			return nil
		}
		return fingerprint.InOrder(len(was))
	}
	notes := r.Prints.noted(s, p)
	if slices.EqualFunc(was, notes, func(print uint64, n elementNote) bool { return print == n.print }) {
		return fingerprint.InOrder(len(was))
	}
	if now := h.named(func(keys []string) ([]uint64, bool) { return appendIdentities(nil, s, p, keys) }); now != nil {
		return now
	}
	leaves := h.leaves
	if r.lists >= fingerprint.MaxLeafLists {
		leaves = nil
	}
	now := fingerprint.Side{Prints: printsOf(notes), Leaves: liveLeaves(s, p)}
	return fingerprint.Align(fingerprint.Side{Prints: was, Leaves: hiddenLeaves(leaves)}, now)
}
