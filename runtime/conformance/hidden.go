package conformance

import (
	"fmt"
	"strconv"
	"unsafe"
)

// hiding compares the hidden values of two storage objects. The second must be the first after
// one edit.
type hiding struct {
	edit *edit
	comparison
	keys []string // of the list that comes next
}

// away is used in place of a number of steps if the edit is elsewhere.
const away = -1

// same checks that the values at b have the hidden values of those at a that still exist, and no
// others. At is the number of steps of the edit that lead here.
func (h *hiding) same(n node, a, b unsafe.Pointer, at int) bool {
	if at > 0 && at == h.edit.derived {
		return true
	}
	switch n := n.(type) {
	case *object:
		return h.sameObject(n, a, b, at)
	case *pointer:
		return h.samePointer(n, *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b), at)
	case *list:
		keys := h.keys
		h.keys = nil
		return h.sameList(n, keys, (*sliceHeader)(a), (*sliceHeader)(b), at)
	case *dict:
		return h.sameDict(n, a, b, at)
	default:
		return true
	}
}

func (h *hiding) sameObject(n *object, a, b unsafe.Pointer, at int) bool {
	for i := range n.fields {
		f := &n.fields[i]
		x, y := unsafe.Add(a, f.offset), unsafe.Add(b, f.offset)
		switch {
		case f.rare:
			if lost := lostParts(*(*map[string][]byte)(x), *(*map[string][]byte)(y), n.furtherTexts(a), n.furtherTexts(b)); len(lost) > 0 {
				h.reason = fmt.Sprintf("%q have lost what they hid in parts that nobody wrote", lost)
				return h.within("." + f.name)
			}
			live := h.writtenNames(n, a, b)
			was, is := withoutLive(hidingIn(x, live), live), withoutLive(hidingIn(y, live), live)
			if !f.node.equal(&h.comparison, unsafe.Pointer(&is), unsafe.Pointer(&was)) {
				return h.within("." + f.name)
			}
		case !h.sameField(f, x, y, h.follow(at, f.tag)):
			return h.within("." + f.name)
		}
	}
	return true
}

func (h *hiding) sameField(f *field, a, b unsafe.Pointer, at int) bool {
	h.keys = f.keys
	defer func() { h.keys = nil }()
	return h.same(f.node, a, b, at)
}

// follow returns the number of steps that lead to a field.
func (h *hiding) follow(at int, field string) int {
	if at == away || at >= len(h.edit.steps) || storedName(h.edit.steps[at].tag) != field {
		return away
	}
	return at + 1
}

func (h *hiding) samePointer(n *pointer, a, b unsafe.Pointer, at int) bool {
	switch {
	case b == nil:
		return true
	case a == nil:
		return h.bare(n.elem, b)
	default:
		return h.same(n.elem, a, b, at)
	}
}

// bare checks that a value has no hidden values.
func (h *hiding) bare(n node, p unsafe.Pointer) bool {
	bare := true
	eachBag(n, p, func(bag *map[string][]byte) { bare = bare && h.isEmpty(*bag) })
	if !bare {
		h.reason = "what is new hides something"
	}
	return bare
}

// isEmpty reports whether a property bag has no hidden values.
func (h *hiding) isEmpty(bag map[string][]byte) bool {
	hides := hiddenValues(bag)
	return len(hides) == 0 || h.soft && telltale(hides, rareDict) == nil
}

// bareBut is bare, except for the object from which a hand-written step derives values, and into
// which the edit leads. At is the number of steps of the edit that lead to the value.
func (h *hiding) bareBut(n node, p unsafe.Pointer, at int) bool {
	if at > 0 && at == h.edit.derived {
		return true
	}
	if at == away || at >= len(h.edit.steps) || at > h.edit.derived {
		return h.bare(n, p)
	}
	switch n := n.(type) {
	case *object:
		for i := range n.fields {
			f, at := &n.fields[i], h.follow(at, n.fields[i].tag)
			value := unsafe.Add(p, f.offset)
			if f.rare && !h.isEmpty(*(*map[string][]byte)(value)) || !f.rare && !h.bareBut(f.node, value, at) {
				return false
			}
		}
		return true
	case *pointer:
		inner := *(*unsafe.Pointer)(p)
		return inner == nil || h.bareBut(n.elem, inner, at)
	}
	return h.bare(n, p)
}

// writtenNames returns the names of the additional members of an object that changed, appeared or
// disappeared.
func (h *hiding) writtenNames(n *object, a, b unsafe.Pointer) []string {
	before, after := n.furtherTexts(a), n.furtherTexts(b)
	var names []string
	for name, text := range after {
		if was, found := before[name]; !found || was != text {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, found := after[name]; !found {
			names = append(names, name)
		}
	}
	return names
}

func (h *hiding) sameDict(n *dict, a, b unsafe.Pointer, at int) bool {
	was := map[string]unsafe.Pointer{}
	for _, e := range n.entries(a) {
		was[e.key] = e.value
	}
	for _, e := range n.entries(b) {
		old, found := was[e.key]
		ok := false
		if found {
			ok = h.same(n.elem, old, e.value, h.followKey(at, e.key))
		} else {
			ok = h.bare(n.elem, e.value)
		}
		if !ok {
			return h.within("[" + strconv.Quote(e.key) + "]")
		}
	}
	return true
}

func (h *hiding) followKey(at int, key string) int {
	if at == away || at >= len(h.edit.steps) || h.edit.steps[at].key == nil || *h.edit.steps[at].key != key && storedName(*h.edit.steps[at].key) != key {
		return away
	}
	return at + 1
}

func (h *hiding) sameList(n *list, keys []string, a, b *sliceHeader, at int) bool {
	if inner, _ := objectIn(n.elem); inner == nil {
		return true
	}
	order, touched := h.order(a, b, at)
	if order == nil {
		return true
	}
	if len(order) != b.len {
		h.reason = fmt.Sprintf("there are %d elements, want %d", b.len, len(order))
		return false
	}
	pairs := elements{n: n, keys: keys, before: a, after: b, order: order, touched: touched}
	for i := range b.len {
		next := away
		if i == touched {
			next = at + 1
		}
		if !h.sameElement(&pairs, i, next) {
			return h.within("[" + strconv.Itoa(i) + "]")
		}
	}
	return true
}

// order returns the former index of each element of b, and the index of the element that was
// edited within. It returns nil if the list was replaced.
func (h *hiding) order(a, b *sliceHeader, at int) (order []int, touched int) {
	switch {
	case at == len(h.edit.steps) && h.edit.from != nil:
		return h.edit.from, away
	case at == len(h.edit.steps) && a.len > 0:
		return nil, away
	case at != away && at < len(h.edit.steps):
		touched = h.edit.steps[at].index
	default:
		touched = away
	}
	order = make([]int, b.len)
	for i := range order {
		order[i] = i
		if i >= a.len {
			order[i] = -1
		}
	}
	return order, touched
}

// sameElement checks that element i has the hidden values of its former state. Elements that look
// alike may have each other's values. An unrecognizable element may have lost its own.
func (h *hiding) sameElement(e *elements, i, at int) bool {
	reason, path := h.reason, len(h.path)
	if h.isElement(e, i, e.order[i], at) {
		return true
	}
	found := h.comparison
	h.reason, h.path = reason, h.path[:path]
	for _, k := range e.alike(i) {
		if h.isElement(e, i, k, away) {
			return true
		}
		h.reason, h.path = reason, h.path[:path]
	}
	if e.mayBeBare(i) && h.bareBut(e.n.elem, e.n.at(e.after, i), at) {
		return true
	}
	h.comparison = found
	return false
}

func (h *hiding) isElement(e *elements, i, was, at int) bool {
	if was < 0 {
		return h.bare(e.n.elem, e.n.at(e.after, i))
	}
	return h.same(e.n.elem, e.n.at(e.before, was), e.n.at(e.after, i), at)
}
