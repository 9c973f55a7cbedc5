package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
)

// Expression tells what of the hub's spec an API version cannot express, in the
// runtime's notation.
type Expression struct {
	Label string
	Lacks string
	Hub   bool
}

// express finds what each version of each kind cannot express.
func (g *grouper) express() {
	ways := map[*node]*link{}
	seen := map[*link]bool{}
	for _, n := range g.all {
		if n.role == Spec && n.onward != nil {
			ways[n] = g.fuse(n.onwards(n.last()))
			g.linkHeld(ways[n], seen)
		}
	}
	says, replaced := g.saying(), g.replaced()
	for _, n := range g.all {
		if n.role != Spec || n.version.Pruned {
			continue
		}
		x := &expresser{g: g, says: says, replaced: replaced, version: n.version.Index}
		n.kind.Expressions = append(n.kind.Expressions,
			Expression{Label: n.version.Label, Lacks: x.object(ways[n], n.last()), Hub: n.onward == nil})
	}
}

// replacement is a bag key of the hub's whose value a hand-written step has put
// into other properties, in all versions after one.
type replacement struct {
	key   string
	after int
}

// replaced finds by the hub's objects what metadata says that hand-written steps
// convert. It has an empty list for objects that merely have such objects in them.
func (g *grouper) replaced() map[*node][]replacement {
	found := map[*node][]replacement{}
	for _, n := range g.all {
		if n.onward == nil {
			continue
		}
		for _, m := range n.members {
			if n.place.Mode(n.version.Index, m.property) == chain.Custom {
				found[n.last()] = append(found[n.last()], keysOf(m, n.version.Index)...)
			}
		}
	}
	for changed := len(found) > 0; changed; {
		changed = false
		for _, n := range g.all {
			if _, known := found[n]; !known && slices.ContainsFunc(n.members, func(m *member) bool { _, has := found[m.child]; return has }) {
				found[n], changed = nil, true
			}
		}
	}
	return found
}

// keysOf are the bag keys that a property's value goes by.
func keysOf(m *member, version int) []replacement {
	entries, _ := m.lineage.EntriesAt(version)
	if entries == nil {
		return []replacement{{chain.MemberKey(m.property.Name), version}}
	}
	var out []replacement
	for _, e := range entries {
		out = append(out, replacement{e.Name, version})
	}
	return out
}

// linkHeld links what a version puts into bags with the shapes that bags hold, all
// the way down.
func (g *grouper) linkHeld(l *link, seen map[*link]bool) {
	if l == nil || seen[l] {
		return
	}
	seen[l] = true
	for _, mv := range l.moves {
		g.linkHeld(mv.child, seen)
		for _, e := range mv.down {
			g.linkHeld(g.held(l, mv, e), seen)
		}
	}
}

// held links the objects of a far property with those of an entry that it goes by;
// nil where they are the same, or none.
func (g *grouper) held(l *link, mv *linkMove, e *entry) *link {
	if len(e.way) == 0 || e.form.node == nil {
		return nil
	}
	return g.pair(l.far.within(mv.far), e.form, l.home)
}

// saying finds the links that lack something of their near side, or whose children
// do.
func (g *grouper) saying() map[*link]bool {
	says := map[*link]bool{}
	g.complete(says, func(l *link) bool {
		return slices.ContainsFunc(l.moves, func(mv *linkMove) bool { return mv.action != Keep || len(mv.down) > 0 || says[mv.child] })
	})
	return says
}

// expresser spells what a version cannot express of the hub's objects.
type expresser struct {
	g        *grouper
	says     map[*link]bool
	replaced map[*node][]replacement
	version  int
	stack    []expressed
}

// expressed is an object of the hub's, and the link that leads there; nil for one
// that is alike in the version, or the hub's own.
type expressed struct {
	way  *link
	near *node
}

func (x *expresser) isSilent(way *link, near *node) bool {
	_, some := x.replaced[near]
	return !x.says[way] && !some
}

func (x *expresser) object(way *link, near *node) string {
	if x.isSilent(way, near) {
		return ""
	}
	x.stack = append(x.stack, expressed{way, near})
	items := x.items(way, near)
	for _, r := range x.replaced[near] {
		if key := "!" + word(r.key); r.after < x.version && !slices.Contains(items, key) {
			items = append(items, key)
		}
	}
	x.stack = x.stack[:len(x.stack)-1]
	return strings.Join(items, ",")
}

// items spells the members of an object that a version lacks, or lacks something
// of, and the keys of the object's bag that it reads.
func (x *expresser) items(way *link, near *node) (items []string) {
	if way == nil {
		for _, m := range near.members {
			items = append(items, x.member(m, nil)...)
		}
		return items
	}
	for _, mv := range way.moves {
		switch {
		case x.g.isConverted(way, mv):
		case mv.action == Fetch:
			items = append(items, memberName(mv.near))
		case mv.action == Keep:
			items = append(items, x.member(mv.near, mv.child)...)
		}
		for _, e := range mv.down {
			items = append(items, "!"+word(e.name)+x.held(e, x.g.held(way, mv, e)))
		}
	}
	return items
}

func (x *expresser) member(m *member, way *link) []string {
	if m.child == nil || x.isSilent(way, m.child) {
		return nil
	}
	inner := x.within(way, m.child)
	if inner == "" {
		return nil
	}
	return []string{memberName(m) + mapsOf(m) + "(" + inner + ")"}
}

// held spells what a version cannot express of what lies in a bag.
func (x *expresser) held(e *entry, l *link) string {
	if l == nil || !x.says[l] {
		return ""
	}
	return mapsOf(e.like) + "(" + x.within(l, l.near.node) + ")"
}

// mapsOf has a pair of braces for each map around a member's objects.
func mapsOf(m *member) string {
	if m.property.Name == chain.AdditionalName {
		return ""
	}
	wrap, _ := chain.Unwrap(m.property.Type)
	return strings.Repeat("{}", strings.Count(wrap, "m"))
}

// within spells a child, or how many levels up the same stands.
func (x *expresser) within(way *link, near *node) string {
	if i := slices.Index(x.stack, expressed{way, near}); i >= 0 {
		return "^" + strconv.Itoa(len(x.stack)-i)
	}
	return x.object(way, near)
}

func memberName(m *member) string {
	if m.property.Name == chain.AdditionalName {
		return "*"
	}
	return word(chain.StoredName(m.property.Name))
}

// word quotes what is more than letters, digits and a few signs.
func word(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.$@", r))
	})
	if plain {
		return s
	}
	return strconv.Quote(s)
}
