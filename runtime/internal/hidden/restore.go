package hidden

import (
	"slices"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// restorer restores hidden values in the values that still exist.
type restorer[V any] struct {
	into target[V]
	// trusts reports whether the fingerprints of the bag have the version that this package
	// makes.
	trusts bool
	// raw means that Decode has just removed the hidden values. Elements are then at their
	// indices, and existing entries of bags are replaced.
	raw bool
	// elements has the elements of the lists around the current value. lists counts these lists.
	// isFixed is set within an element that was found because all of it is unchanged.
	elements []node[V]
	lists    int
	isFixed  bool
	// jumps are those of the hidden values in the current section.
	jumps *jsontext.Jumps
	// until ends the work. The result must then not be used.
	until *watch.Watch
}

// forget removes all data of the object, even after a panic.
func (r *restorer[V]) forget() {
	r.elements, r.lists, r.isFixed, r.jumps, r.until = truncated(r.elements, 0), 0, false, nil, nil
}

// section restores the hidden values of one section. It does nothing if the section has no shape.
func (r *restorer[V]) section(n node[V], hidden runtime.JSON) {
	if n.shape == nil {
		return
	}
	r.jumps = jsontext.FindJumps(hidden)
	r.value(n, r.cursor(hidden), nil)
	r.jumps = nil
}

// cursor returns a cursor over a part of the hidden values.
func (r *restorer[V]) cursor(hidden runtime.JSON) *jsontext.Cursor {
	return &jsontext.Cursor{Data: hidden, Jumps: r.jumps}
}

// value restores the hidden values at the cursor in a value, and steps over them. If the value is
// a list, the keys identify its elements.
func (r *restorer[V]) value(n node[V], c *jsontext.Cursor, keys []string) {
	if c.Peek() != '{' {
		c.Raw()
		return
	}
	n, ok := r.into.reach(n)
	switch {
	case !ok:
		c.Raw()
	case n.shape.Kind == shape.Object:
		r.object(n, c)
	case n.shape.Kind == shape.Map:
		r.dict(n, c)
	case n.shape.Kind == shape.List:
		r.list(n, c.Raw(), keys)
	default:
		c.Raw()
	}
}

// ascending accepts names in strictly ascending order, as Hide writes them. So no value is
// visited twice, whatever a bag contains.
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

func (r *restorer[V]) object(n node[V], c *jsontext.Cursor) {
	var order ascending
	for c.Take('{'); c.More('}'); {
		name := c.Name()
		if !r.raw && !order.passes(name) {
			c.Raw()
			continue
		}
		switch section := SectionOf(name, c.Peek()); {
		case section == Entries && n.shape.HasBag:
			r.entries(n, c)
		case section == Members && n.shape.IsOpenMap() && r.raw:
			r.named(n, n.shape.Additional.Shape, c, bag.APIName)
		case section == Members:
			r.members(n, c)
		case section == More && n.shape.Additional != nil:
			r.named(n, n.shape.Additional.Shape, c, asItIs)
		default:
			c.Raw()
		}
	}
	if n.shape.Additional != nil && n.shape.HasBag && !r.raw {
		r.into.finish(n)
	}
}

// entries restores the entries of a property bag.
func (r *restorer[V]) entries(n node[V], c *jsontext.Cursor) {
	r.into.expect(n, c.Count())
	for c.Take('{'); c.More('}') && r.until.OK(); {
		key := c.Name()
		r.into.put(n, key, c.Raw(), r.raw)
	}
}

// members restores values in the members that the type of an object names.
func (r *restorer[V]) members(n node[V], c *jsontext.Cursor) {
	var order ascending
	for c.Take('{'); c.More('}') && r.until.OK(); {
		name := c.Name()
		f := n.shape.Member(jsontext.Borrow(name))
		if f == nil || !r.raw && !order.passes(name) {
			c.Raw()
		} else if member, found := r.into.member(n, f); found {
			r.value(member, c, f.Keys)
		} else {
			c.Raw()
		}
	}
}

// dict restores values in the values of a map.
func (r *restorer[V]) dict(n node[V], c *jsontext.Cursor) {
	seen := false
	for c.Take('{'); c.More('}'); {
		if SectionOf(c.Name(), c.Peek()) == Members && (r.raw || !seen) {
			seen = true
			r.named(n, n.shape, c, asItIs)
		} else {
			c.Raw()
		}
	}
}

// asItIs returns its argument.
func asItIs(name string) string { return name }

// named restores values in the additional members of an object, or in the values of a map. Dict
// is the shape of that map. Called returns the key for a name in the hidden values. If values of
// the map cannot contain a bag, the map may be shared, and named does not touch it.
func (r *restorer[V]) named(n node[V], dict *shape.Shape, c *jsontext.Cursor, called func(string) string) {
	if !dict.Elem.CarriesBag {
		c.Raw()
		return
	}
	var order ascending
	for c.Take('{'); c.More('}') && r.until.OK(); {
		name := c.Name()
		if !r.raw && !order.passes(name) {
			c.Raw()
		} else if value, found := r.into.entry(n, called(string(name))); found {
			r.value(value, c, nil)
			r.into.store()
		} else {
			c.Raw()
		}
	}
}

func (r *restorer[V]) list(n node[V], hidden runtime.JSON, keys []string) {
	var l list
	mark := len(r.elements)
	r.elements = r.into.elements(r.elements, n)
	elements := r.elements[mark:]
	if len(elements) > 0 && r.cursor(hidden).EachMember(l.set) {
		if find := r.finder(n, elements, &l, keys); find != nil {
			isFixed := r.isFixed
			r.isFixed = isFixed || r.lists >= fingerprint.MaxLeafLists && !l.keyed && l.by == ""
			r.lists++
			r.inElements(elements, l.elements, find)
			r.lists, r.isFixed = r.lists-1, isFixed
		}
	}
	r.elements = truncated(r.elements, mark)
}

// inElements restores hidden values in elements, each at most once. Find reads the beginning of
// an entry and returns the index of its element.
func (r *restorer[V]) inElements(elements []node[V], hidden runtime.JSON, find func(c *jsontext.Cursor) int) {
	var seen []bool
	if !r.raw {
		seen = make([]bool, len(elements))
	}
	c := r.cursor(hidden)
	for ok := c.Take('['); ok && c.More(']') && r.until.OK(); {
		element := r.cursor(c.Raw())
		if !element.Take('[') {
			continue
		}
		i := find(element)
		if element.Take(','); 0 <= i && i < len(elements) && (r.raw || !seen[i]) {
			if !r.raw {
				seen[i] = true
			}
			r.value(elements[i], element, nil)
		}
	}
}

// finder returns a function that reads the beginning of a hidden element and returns its present
// index. It returns nil if the elements cannot be found.
func (r *restorer[V]) finder(n node[V], elements []node[V], l *list, keys []string) func(c *jsontext.Cursor) int {
	switch {
	case r.raw, r.isFixed && l.all == nil && !l.keyed:
		return func(c *jsontext.Cursor) int { return int(c.Integer()) }
	case l.keyed:
		return r.keyed(n, elements, keys)
	}
	was, ok := fingerprint.Unpack(l.all)
	if !ok {
		return nil
	}
	return findIn(r.now(n, elements, l, was))
}

// findIn returns a function that reads the former index of an element, and returns its present
// index.
func findIn(now []int) func(c *jsontext.Cursor) int {
	return func(c *jsontext.Cursor) int {
		i := c.Integer()
		if i < 0 || i >= int64(len(now)) {
			return fingerprint.Nobody
		}
		return now[i]
	}
}

// keyed is finder for lists with keys.
func (r *restorer[V]) keyed(n node[V], elements []node[V], keys []string) func(c *jsontext.Cursor) int {
	members, ok := identifiers(n.shape.Elem.Object(), keys)
	if !ok || len(keys) == 0 {
		return nil
	}
	ids := make([]uint64, len(elements))
	for i, element := range elements {
		ids[i] = r.into.identity(element, members)
	}
	return findBy(ids, r.trusts)
}

// findBy returns a function that reads the former index and the identity of an element, and finds
// it among identities. If the fingerprints have another version, it returns the former index.
func findBy(identities []uint64, trusts bool) func(c *jsontext.Cursor) int {
	indices := fingerprint.IndicesOf(identities)
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
			return indices.Of(id[0])
		}
	}
}

// now returns the present index of every element of the former list.
func (r *restorer[V]) now(n node[V], elements []node[V], l *list, was []uint64) []int {
	if !r.trusts {
		if len(was) != len(elements) {
			return nil
		}
		return fingerprint.InOrder(len(was))
	}
	prints, _ := r.into.prints(n, elements)
	if slices.EqualFunc(was, prints, func(print uint64, e elementPrint) bool { return print == e.print }) {
		return fingerprint.InOrder(len(was))
	}
	if now := r.byName(n, elements, l); now != nil {
		return now
	}
	leaves := l.leaves
	if r.lists >= fingerprint.MaxLeafLists {
		leaves = nil
	}
	now := fingerprint.Side{Prints: appendPrintsOf(nil, prints), Leaves: func(i int) []uint32 { return r.into.leaves(elements[i]) }}
	return fingerprint.Align(fingerprint.Side{Prints: was, Leaves: hiddenLeaves(leaves)}, now)
}

// byName finds the elements of a list by the member that names them. It returns nil if these
// names are not all present and distinct.
func (r *restorer[V]) byName(n node[V], elements []node[V], l *list) []int {
	was, ok := fingerprint.Unpack(l.keys)
	if !ok || l.by == "" {
		return nil
	}
	is, ok := appendIdentities(nil, carrier[V](r.into), n.shape.Elem, elements, []string{l.by})
	if !ok || !fingerprint.IsUnique(is) || !fingerprint.IsUnique(was) {
		return nil
	}
	now, indices := make([]int, len(was)), fingerprint.IndicesOf(is)
	for i, id := range was {
		now[i] = indices.Of(id)
	}
	return now
}

// hiddenLeaves returns a function that reads the leaves of an element in a bag.
func hiddenLeaves(data runtime.JSON) func(i int) []uint32 {
	elements := jsontext.Elements(data)
	return func(i int) []uint32 {
		if i >= len(elements) {
			return nil
		}
		return fingerprint.UnpackLeaves(jsontext.Unquoted(elements[i]))
	}
}
