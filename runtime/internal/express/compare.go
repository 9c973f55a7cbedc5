package express

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Lost returns the positions of a spec that a second spec of the same shape lacks or has otherwise.
// It looks only at paths and at what is within them. The first spec has a value at each path. If
// either spec has no JSON, Lost returns the paths. Otherwise the positions are in the order of
// paths, and within a path by index and name.
//
// It compares texts. Parsed values would take a hundred bytes for each byte of a large object.
func Lost(paths []*Path, s *shape.Shape, p, other unsafe.Pointer) []*Path {
	before, err := jsontext.Marshal(reflect.NewAt(s.Type, p).Interface())
	if err != nil {
		return paths
	}
	after, err := jsontext.Marshal(reflect.NewAt(s.Type, other).Interface())
	if err != nil {
		return paths
	}
	var root tree
	all := trees{nil: &root}
	for _, p := range paths {
		all.add(p).ends = true
	}
	l := losses{before: jsontext.FindJumps(before), after: jsontext.FindJumps(after)}
	l.compare(before, after, &root, position{shape: s})
	return l.found
}

// losses collects the positions that are lost. Absent values are nil.
type losses struct {
	found         []*Path
	before, after *jsontext.Jumps
}

// compare compares two values, and what is within them. T has the paths to look at.
func (l *losses) compare(before, after runtime.JSON, t *tree, at position) {
	b, a := jsontext.Cursor{Data: before, Jumps: l.before}, jsontext.Cursor{Data: after, Jumps: l.after}
	first := b.Peek()
	isWithin := a.Peek() == first || !t.ends
	switch {
	case first == '{' && isWithin:
		l.members(&b, &a, t, at)
	case first == '[' && isWithin:
		l.elements(&b, &a, t, at)
	case after == nil || !jsontext.IsSame(before, after):
		l.found = append(l.found, at.path)
	}
}

// position is where a value is. Its shape is nil in property bags.
type position struct {
	path  *Path
	shape *shape.Shape
	isBag bool
}

// element returns the position of an element of a list.
func (p position) element(i int) position {
	s := p.target()
	if s != nil && s.Kind == shape.List {
		s = s.Elem
	}
	return position{path: p.path.to(step{index: i}), shape: s}
}

// target returns the shape of the value to which pointers lead.
func (p position) target() *shape.Shape {
	s := p.shape
	for s != nil && s.Kind == shape.Pointer {
		s = s.Elem
	}
	return s
}

// member returns the position of a member of an object, or of a value in a map. Free JSON has no
// property bags: there a client may use any name.
func (p position) member(name string) position {
	out, s := position{path: p.path.to(member(name))}, p.target()
	switch {
	case s == nil:
		out.isBag = name == bag.Name && !p.isBag
	case s.Kind == shape.Map:
		out.shape = s.Elem
	case s.Kind != shape.Object:
		out.shape = s
	case s.HasBag && name == bag.Name:
		out.isBag = true
	case s.Member(name) != nil:
		out.shape = s.Member(name).Shape
	case s.Additional != nil:
		out.shape = s.Additional.Shape.Elem
	}
	return out
}

// elements compares the elements of two lists. The second value may be no list.
func (l *losses) elements(before, after *jsontext.Cursor, t *tree, at position) {
	before.Take('[')
	more := after.Take('[')
	for i := 0; before.More(']'); i++ {
		element, other := before.Raw(), runtime.JSON(nil)
		if more = more && after.More(']'); more {
			other = after.Raw()
		}
		if next := t.to(step{index: i}); next != nil {
			l.compare(element, other, next, at.element(i))
		}
	}
}

// members compares the members of two objects. The second value may be no object. The entries of a
// property bag are compared singly, even if the second object has no bag.
func (l *losses) members(before, after *jsontext.Cursor, t *tree, at position) {
	others := membersIn(after, t)
	for _, m := range t.inOrder(membersIn(before, t)) {
		other, next, inner := valueOf(others, m.Name), t.to(member(m.Name)), at.member(m.Name)
		if at.isBag {
			if names, covers := hiding(m.Name, m.Value); covers {
				l.covers(names, m.Value, other, next, inner.path)
				continue
			}
		}
		if inner.isBag && other == nil && (at.shape != nil || !jsontext.IsSame(m.Value, emptyBag)) {
			other = emptyBag
		}
		l.compare(m.Value, other, next, inner)
	}
}

// emptyBag is what an object without a bag is compared with. Conversions store no empty bag: in an
// entry of a bag it is a client's member of free JSON, which is compared as it is.
var emptyBag = runtime.JSON("{}")

// covers compares some covers of additional members.
func (l *losses) covers(names []string, before, after runtime.JSON, t *tree, at *Path) {
	was := membersIn(&jsontext.Cursor{Data: before, Jumps: l.before}, t)
	is := membersIn(&jsontext.Cursor{Data: after, Jumps: l.after}, t)
	for _, name := range names {
		if t.to(member(name)) != nil && !jsontext.IsSame(valueOf(was, name), valueOf(is, name)) {
			l.found = append(l.found, at.to(member(name)))
		}
	}
}

// membersIn returns the members of an object at which a tree has paths, sorted by name. Of a name
// that the object repeats, the last value counts.
func membersIn(object *jsontext.Cursor, t *tree) (all []jsontext.Member) {
	object.EachMember(func(name []byte, value runtime.JSON) {
		if t.to(member(jsontext.Borrow(name))) != nil {
			all = append(all, jsontext.Member{Name: string(name), Value: value})
		}
	})
	slices.SortStableFunc(all, func(a, b jsontext.Member) int { return strings.Compare(a.Name, b.Name) })
	n := 0
	for i := range all {
		if i+1 == len(all) || all[i+1].Name != all[i].Name {
			all[n] = all[i]
			n++
		}
	}
	return all[:n]
}

// valueOf returns the value of a name in sorted members; nil if there is none.
func valueOf(sorted []jsontext.Member, name string) runtime.JSON {
	i, found := slices.BinarySearchFunc(sorted, name, func(m jsontext.Member, name string) int { return strings.Compare(m.Name, name) })
	if !found {
		return nil
	}
	return sorted[i].Value
}

// Within reports whether each path is one of others, or is within one of these.
func Within(paths, others []*Path) bool {
	var root tree
	all := trees{nil: &root}
	for _, p := range others {
		all.add(p).ends = true
	}
	known := trees{nil: &root}
	return !slices.ContainsFunc(paths, func(p *Path) bool {
		t := known.find(p)
		return t == nil || !t.ends
	})
}

// tree is a set of paths.
type tree struct {
	ends bool
	// order is less for the paths that were added earlier.
	order int
	next  map[step]*tree
}

// inOrder sorts members by the order in which paths to them were added, and then by name. They are
// sorted by name.
func (t *tree) inOrder(members []jsontext.Member) []jsontext.Member {
	if !t.ends {
		slices.SortStableFunc(members, func(a, b jsontext.Member) int {
			return cmp.Compare(t.next[member(a.Name)].order, t.next[member(b.Name)].order)
		})
	}
	return members
}

// to returns where a step leads to; nil for nowhere. A path that is in the set has all steps.
func (t *tree) to(s step) *tree {
	if t.ends {
		return t
	}
	return t.next[s]
}

// trees are where paths lead to in a tree.
type trees map[*Path]*tree

// add returns where a path leads to. It makes the way there.
func (a trees) add(p *Path) *tree {
	if known, ok := a[p]; ok {
		return known
	}
	around := a.add(p.around)
	if around.next == nil {
		around.next = map[step]*tree{}
	}
	if around.next[p.step] == nil {
		around.next[p.step] = &tree{order: len(a)}
	}
	a[p] = around.next[p.step]
	return a[p]
}

// find returns where a path, or the first part of it that is in the set, leads to; nil for nowhere.
func (a trees) find(p *Path) *tree {
	if known, ok := a[p]; ok {
		return known
	}
	t := a.find(p.around)
	if t != nil {
		t = t.to(p.step)
	}
	a[p] = t
	return t
}
