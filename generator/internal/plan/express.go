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
		if n.spec && n.onward != nil {
			ways[n] = g.fuse(n.onwards(n.last()))
			g.linkHeld(ways[n], seen)
		}
	}
	says := g.saying()
	for _, n := range g.all {
		if !n.spec || n.version.Pruned {
			continue
		}
		e := Expression{Label: n.version.Label, Hub: n.onward == nil}
		if !e.Hub {
			e.Lacks = (&expresser{g: g, says: says}).object(ways[n])
		}
		n.kind.Expressions = append(n.kind.Expressions, e)
	}
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

// expresser spells what a link's far side cannot express of the near side.
type expresser struct {
	g     *grouper
	says  map[*link]bool
	stack []*link
}

func (x *expresser) object(l *link) string {
	if !x.says[l] {
		return ""
	}
	x.stack = append(x.stack, l)
	var items []string
	for _, mv := range l.moves {
		switch {
		case mv.action == Fetch:
			items = append(items, memberName(mv.near))
		case mv.action == Keep && x.says[mv.child]:
			items = append(items, memberName(mv.near)+mapsOf(mv.near)+"("+x.within(mv.child)+")")
		}
		for _, e := range mv.down {
			items = append(items, "!"+word(e.name)+x.held(e, x.g.held(l, mv, e)))
		}
	}
	x.stack = x.stack[:len(x.stack)-1]
	return strings.Join(items, ",")
}

// held spells what a version cannot express of what lies in a bag.
func (x *expresser) held(e *entry, l *link) string {
	if l == nil || !x.says[l] {
		return ""
	}
	return mapsOf(e.like) + "(" + x.within(l) + ")"
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
func (x *expresser) within(l *link) string {
	if i := slices.Index(x.stack, l); i >= 0 {
		return "^" + strconv.Itoa(len(x.stack)-i)
	}
	return x.object(l)
}

func memberName(m *member) string {
	if m.property.Name == chain.AdditionalName {
		return "*"
	}
	return word(m.property.Name)
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
