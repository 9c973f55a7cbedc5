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

// open returns the member that contains the further members of a node's objects; nil if the
// objects are closed.
func (n *node) open() *member {
	if last := len(n.members); last > 0 && n.members[last-1].property.Name == chain.AdditionalName {
		return n.members[last-1]
	}
	return nil
}
