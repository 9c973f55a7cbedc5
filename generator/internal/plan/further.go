package plan

import (
	"slices"
	"strconv"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// Further describes how a step converts properties that some versions name and others show among
// the further members of open objects. Bags store such properties under the keys of Named. Before
// the step, further members of the source object are moved under these keys. Afterwards the keys
// become further members again if the target object is open.
type Further struct {
	Named []chain.Further
	// Free lists, for each of Named, which parts of its objects are free JSON or maps, as bags
	// store them. Member names in free JSON are the client's, whatever they are. So are the keys
	// of maps, except that names that begin with $ have one $ more.
	Free []Lists
	// Typed means that some further members are objects. Then only those move whose names some
	// version declares.
	Typed bool
	// Unlike are the names of properties that are not among Named. It is set where Typed is.
	Unlike []string
	// Far and Near are the names of properties that the side has renamed. A further member of
	// that side with such a name is not that property.
	Far, Near []string
}

// furthers are the parts of [Further] that all links of a place share.
type furthers struct {
	named   []chain.Further
	free    []Lists // of named
	typed   bool
	unlike  []string
	foreign [][]string // by version
}

// newFurthers returns nil for a place whose objects are all closed, or all declare the same
// properties.
func newFurthers(p *chain.Place) *furthers {
	if !p.IsMixed() {
		return nil
	}
	out := &furthers{named: p.Furthers(), typed: p.IsTyped(), foreign: make([][]string, len(p.Defs))}
	for _, n := range out.named {
		out.free = append(out.free, furtherFree(n))
	}
	if out.typed {
		out.unlike = p.Unlike()
	}
	for version := range p.Defs {
		out.foreign[version] = p.Foreign(version)
	}
	return out
}

// further returns how a link converts further members. It is nil if the place has no open
// objects, or the link hands every property over unchanged.
func (g *grouper) further(l *link) *Further {
	if l.isPlain() {
		return nil
	}
	f := g.furthersOf(l.far.node.place)
	if f == nil {
		return nil
	}
	return &Further{
		Named: f.named, Free: f.free, Typed: f.typed, Unlike: f.unlike,
		Far: f.foreign[l.far.node.version.Index], Near: f.foreign[l.near.node.version.Index],
	}
}

func (g *grouper) furthersOf(p *chain.Place) *furthers {
	f, known := g.furthers[p]
	if !known {
		f = newFurthers(p)
		g.furthers[p] = f
	}
	return f
}

// isPlain reports whether a link hands over every property under its own name and reads no bag.
func (l *link) isPlain() bool {
	return !slices.ContainsFunc(l.moves, func(mv *linkMove) bool {
		return mv.action != Keep || mv.far.property.Name != mv.near.property.Name || len(mv.up)+len(mv.down) > 0
	})
}

// appendText appends a text of the fields that distinguish steps; nothing for nil.
func (f *Further) appendText(out []byte) []byte {
	if f == nil {
		return out
	}
	out = append(out, "\nfurther"...)
	if f.Typed {
		out = append(out, " typed"...)
	}
	for i, n := range f.Named {
		for _, word := range []string{n.Name, n.Key, FurtherKind(n), f.Free[i].JSON()} {
			out = strconv.AppendQuote(append(out, ' '), word)
		}
	}
	for _, names := range [][]string{f.Unlike, f.Far, f.Near} {
		for _, name := range names {
			out = strconv.AppendQuote(append(out, ' '), name)
		}
		out = append(out, ';')
	}
	return out
}

// FurtherKind returns the JSON kind of a further member as the runtime reads it. It is l for each
// list, m for each map, and a letter for the innermost value.
func FurtherKind(f chain.Further) string {
	letter := "o"
	switch t := f.Type.(type) {
	case *model.Any:
		letter = "a"
	case *model.Scalar:
		letter = kindLetter(t.Kind)
	case *model.Enum:
		letter = kindLetter(t.Base)
	}
	return f.Wrap + letter
}

func kindLetter(k model.Kind) string {
	switch k {
	case model.Int:
		return "i"
	case model.Number:
		return "n"
	case model.Bool:
		return "b"
	}
	return "s"
}

// shows reports whether the far side of a link shows, among its further members, a property that
// only the near side names.
func (g *grouper) shows(l *link, m *member) (f chain.Further, shown bool) {
	for _, n := range g.farSide(l).named[m.property.Name] {
		if hasKind(n, m) && g.isShown(l, n) {
			return n, true
		}
	}
	return f, false
}

// farSide is what the far side of a link names and shows.
type farSide struct {
	named   map[string][]chain.Further
	has     map[string]bool // names of its properties
	foreign map[string]bool // names of renamed properties, for which further members do not count
}

func (g *grouper) farSide(l *link) *farSide {
	s := g.farSides[l]
	if s != nil {
		return s
	}
	s = &farSide{map[string][]chain.Further{}, map[string]bool{}, map[string]bool{}}
	g.farSides[l] = s
	for _, m := range l.far.node.members {
		s.has[m.property.Name] = true
	}
	if f := g.further(l); f != nil {
		for _, n := range f.Named {
			s.named[n.Name] = append(s.named[n.Name], n)
		}
		for _, name := range f.Far {
			s.foreign[name] = true
		}
	}
	return s
}

// otherFurthers returns the kind of the far side's further members, if both sides are open and
// some values of the near side's are of that kind. It returns nil otherwise. Members that the far
// side names have entries of their own.
func (g *grouper) otherFurthers(l *link, near *member) *lackList {
	open := l.far.node.open()
	if g.further(l) == nil || g.further(l).Typed || open == nil || !isLoose(open.elemKind(), near.elemKind()) {
		return nil
	}
	return kindList(open.elemKind())
}

// isShown reports whether the far side of a link shows values of a key among its further members.
func (g *grouper) isShown(l *link, n chain.Further) bool {
	open := l.far.node.open()
	if s := g.farSide(l); open == nil || s.foreign[n.Name] || s.has[n.Name] {
		return false
	}
	kind, of := open.elemKind(), FurtherKind(n)
	return kind == "a" || kind == of || isLoose(kind, of)
}

// isLoose reports whether further members of a kind show some values of another kind. The lists
// and maps around both must be the same. An object counts as a map, a number may be an integer,
// and either kind may be free JSON.
func isLoose(kind, of string) bool {
	for len(of) > 1 && kind[0] == of[0] {
		kind, of = kind[1:], of[1:]
	}
	if of == "o" {
		return kind == "a" || kind[0] == 'm'
	}
	return kind == of || kind == "a" || of == "a" && kind != "o" || kind == "i" && of == "n" || kind == "n" && of == "i"
}

// elemKind returns the kind of an open object's further members.
func (m *member) elemKind() string {
	wrap, inner := chain.Unwrap(m.property.Type.(*model.Map).Elem)
	f := chain.Further{Wrap: wrap}
	if model.ScalarText(inner) != "" {
		f.Type = inner
	}
	return FurtherKind(f)
}

// hasKind reports whether the member's values have the kind that a key stores.
func hasKind(n chain.Further, m *member) bool { return kindOf(m) == FurtherKind(n) }

// kindOf returns the kind of a member's values.
func kindOf(m *member) string {
	wrap, inner := chain.Unwrap(m.property.Type)
	of := chain.Further{Wrap: wrap}
	if model.ScalarText(inner) != "" {
		of.Type = inner
	}
	return FurtherKind(of)
}

// open returns the member that contains the further members of a node's objects; nil if the
// objects are closed.
func (n *node) open() *member {
	if last := len(n.members); last > 0 && n.members[last-1].property.Name == chain.AdditionalName {
		return n.members[last-1]
	}
	return nil
}
