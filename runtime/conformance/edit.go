package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"unsafe"
)

// edit is one change that a client makes to an object.
type edit struct {
	// steps are the path of the changed property, or of the list or map of which one entry
	// changed.
	steps []editStep
	done  deed
	// from has the former index of each element of an edited list; -1 for a new one.
	from []int
	// derived is the number of steps to the object from which hand-written steps derive values; 0
	// if there is none.
	derived int
}

// editStep is a field, an element of a list, or an entry of a map.
type editStep struct {
	field string // the Go name
	tag   string // the JSON name, which the storage type has too
	index int
	key   *string
}

type deed int

const (
	nothing deed = iota
	set
	unset
	changed
	inserted
	deleted
	moved
)

func (d deed) String() string {
	return [...]string{"nothing", "set", "unset", "changed", "inserted into", "deleted from", "moved within"}[d]
}

// String returns the kind of the change and the path.
func (e *edit) String() string {
	path := ""
	for _, s := range e.steps {
		switch {
		case s.field != "":
			path += "." + s.field
		case s.key != nil:
			path += "[" + strconv.Quote(*s.key) + "]"
		default:
			path += "[" + strconv.Itoa(s.index) + "]"
		}
	}
	return fmt.Sprintf("%v %s", e.done, path[min(1, len(path)):])
}

// edit changes the object at p in place, at a position or at a value around it.
func (d *drawer) edit(p unsafe.Pointer, at *position) edit {
	e := edit{}
	d.budget = editBudget
	d.inObject(&e, p, at.route)
	d.target = nil
	return e
}

// fields returns the number of fields in the steps.
func (e *edit) fields() int {
	n := 0
	for _, s := range e.steps {
		if s.field != "" {
			n++
		}
	}
	return n
}

// deriving records that hand-written steps derive values from the object to which a number of
// fields lead.
func (e *edit) deriving(fields int) {
	for i, s := range e.steps {
		if s.field != "" {
			fields--
		}
		if fields == 0 {
			e.derived = i + 1
			return
		}
	}
	e.derived = len(e.steps)
}

const editBudget = 24

func (d *drawer) inObject(e *edit, p unsafe.Pointer, route []*field) {
	f := route[0]
	p = unsafe.Add(p, f.offset)
	if !f.inline {
		e.steps = append(e.steps, editStep{field: f.name, tag: f.tag})
	}
	if len(route) == 1 {
		d.change(e, f.node, p)
		return
	}
	depth := len(e.steps)
	if d.enter(e, f.node, p, route[1:]) {
		return
	}
	e.steps = e.steps[:depth]
	d.target = route[1:]
	e.done = set
	f.node.draw(d, p, true)
}

// enter edits within one of the objects of the value at p, and reports whether there was one.
func (d *drawer) enter(e *edit, n node, p unsafe.Pointer, route []*field) bool {
	switch n := n.(type) {
	case *object:
		d.inObject(e, p, route)
		return true
	case *pointer:
		value := *(*unsafe.Pointer)(p)
		return value != nil && d.enter(e, n.elem, value, route)
	case *list:
		header := (*sliceHeader)(p)
		if header.len == 0 {
			return false
		}
		i := d.below(header.len)
		e.steps = append(e.steps, editStep{index: i})
		return d.enter(e, n.elem, n.at(header, i), route)
	case *dict:
		entries := n.entries(p)
		if len(entries) == 0 {
			return false
		}
		entry := entries[d.below(len(entries))]
		e.steps = append(e.steps, editStep{key: &entry.key})
		if !d.enter(e, n.elem, entry.value, route) {
			return false
		}
		n.put(p, entry.key, entry.value)
		return true
	default:
		return false
	}
}

// change sets, unsets or changes the value at p. It does not change an embedded struct.
func (d *drawer) change(e *edit, n node, p unsafe.Pointer) {
	_, embedded := n.(*object)
	switch {
	case embedded:
	case isAbsent(n, p):
		d.set(e, n, p)
	case d.next()&3 == 0 || objectBehind(n):
		d.unset(e, n, p)
	default:
		d.replace(e, n, p)
	}
}

func (d *drawer) set(e *edit, n node, p unsafe.Pointer) {
	e.done = set
	d.target = []*field{}
	n.draw(d, p, true)
	d.target = nil
}

func (d *drawer) unset(e *edit, n node, p unsafe.Pointer) {
	switch n.(type) {
	case *pointer, *dict, mapping:
		*(*unsafe.Pointer)(p) = nil
	case *list:
		*(*sliceHeader)(p) = sliceHeader{}
	case *free, *blob:
		*(*[]byte)(p) = nil
	default:
		d.set(e, n, p)
		e.done = changed
		return
	}
	e.done = unset
}

// replace changes a present value: the whole scalar, or one entry of a list or map.
func (d *drawer) replace(e *edit, n node, p unsafe.Pointer) {
	switch n := n.(type) {
	case *list:
		d.changeList(e, n, (*sliceHeader)(p))
	case *dict:
		d.changeDict(e, n, p)
	case mapping:
		d.changeMapping(e, n, p)
	default:
		d.set(e, n, p)
		e.done = changed
	}
}

func objectBehind(n node) bool {
	outer, ok := n.(*pointer)
	if !ok {
		return false
	}
	_, ok = outer.elem.(*object)
	return ok
}

// changeList inserts, deletes or moves an element.
func (d *drawer) changeList(e *edit, n *list, header *sliceHeader) {
	order := make([]int, header.len)
	for i := range order {
		order[i] = i
	}
	switch op := d.below(3); {
	case header.len == 0 || op == 0:
		e.done = inserted
		order = slices.Insert(order, d.below(header.len+1), -1)
	case header.len == 1 || op == 1:
		e.done = deleted
		i := d.below(header.len)
		order = slices.Delete(order, i, i+1)
	default:
		e.done = moved
		i := d.below(header.len)
		order = slices.Delete(order, i, i+1)
		order = slices.Insert(order, d.below(header.len), i)
	}
	e.from = order
	d.arrange(n, header, order)
}

// arrange rearranges a list to the given order of former indices, and draws new elements for
// negative ones.
func (d *drawer) arrange(n *list, header *sliceHeader, order []int) {
	arranged := sliceHeader{emptyList, len(order), len(order)}
	if len(order) > 0 {
		arranged.data = n.slab.take(len(order))
	}
	for i, was := range order {
		if was >= 0 {
			n.slab.assign(n.at(&arranged, i), n.at(header, was))
		} else {
			n.elem.draw(d, n.at(&arranged, i), true)
		}
	}
	*header = arranged
}

// changeDict adds or removes an entry, or replaces a value that contains no objects.
func (d *drawer) changeDict(e *edit, n *dict, p unsafe.Pointer) {
	entries := n.entries(p)
	inner, _ := objectIn(n.elem)
	if len(entries) > 0 && d.next()&1 == 0 {
		e.done = deleted
		n.remove(p, entries[d.below(len(entries))].key)
		return
	}
	e.done = inserted
	key := n.newKey(d)
	if slices.ContainsFunc(entries, func(e dictEntry) bool { return e.key == key }) {
		key = d.unique("k-")
	}
	if inner == nil && len(entries) > 0 && d.next()&1 == 0 {
		e.done = changed
		key = entries[d.below(len(entries))].key
	}
	value := n.slab.take(1)
	n.elem.draw(d, value, true)
	n.put(p, key, value)
}

func (d *drawer) changeMapping(e *edit, n mapping, p unsafe.Pointer) {
	keys := n.keys(p)
	switch op := d.below(3); {
	case len(keys) > 0 && op == 0:
		e.done = deleted
		n.remove(p, keys[d.below(len(keys))])
	case len(keys) > 0 && op == 1:
		e.done = changed
		if key := keys[d.below(len(keys))]; d.next()&1 == 0 || !n.alter(d, p, key) {
			n.put(d, p, key)
		}
	default:
		e.done = inserted
		n.put(d, p, n.newKey(d))
	}
}
