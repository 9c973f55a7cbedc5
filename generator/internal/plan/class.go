package plan

import (
	"crypto/sha256"
	"slices"
	"strconv"

	"github.com/stratakube/strata/generator/internal/model"
)

// classify groups nodes into classes; the nodes of one class become one struct. It first groups
// nodes whose definitions are equal. Then it splits classes until all nodes of a class have
// children of the same classes and convert to each package with the same moves.
func (g *grouper) classify() {
	var text []byte
	g.split(func(key []byte, n *node) []byte {
		text = model.AppendDef(text[:0], n.def)
		sum := sha256.Sum256(text) // texts of big groups take much memory
		key = append(append(key, n.version.Label...), ' ')
		key = append(key, sum[:]...)
		if n.def.Map != nil {
			key = append(key, "map"...)
		}
		if n.isRoot() {
			key = append(append(key, n.kind.Name...), byte(n.role))
		}
		return key
	})
	for {
		before := g.classes
		g.splitByChildren()
		g.splitVariants()
		if g.classes == before || g.stopped() {
			return
		}
	}
}

// splitByChildren splits classes whose nodes have children of different classes, until no such
// class is left.
func (g *grouper) splitByChildren() {
	for before := 0; before != g.classes && !g.stopped(); {
		before = g.classes
		g.split(func(key []byte, n *node) []byte {
			key = strconv.AppendInt(key, int64(n.class), 36)
			for _, m := range n.members {
				if m.child != nil {
					key = append(key, ' ')
					key = strconv.AppendInt(key, int64(m.child.class), 36)
				}
			}
			return key
		})
	}
}

// split assigns one class to all nodes with equal keys, numbered in the order of nodes. key
// appends the key of a node to a buffer.
func (g *grouper) split(key func([]byte, *node) []byte) {
	ids := make(map[string]int, g.classes)
	classes := make([]int, len(g.all))
	var k []byte
	for i, n := range g.all {
		k = key(k[:0], n)
		id, ok := ids[string(k)]
		if !ok {
			id = len(ids)
			ids[string(k)] = id
		}
		classes[i] = id
	}
	for i, n := range g.all {
		n.class = classes[i]
	}
	g.classes = len(ids)
}

// splitVariants splits classes whose nodes convert to the same package with different moves.
// Nodes that have no conversion to a package stay with the first variant.
func (g *grouper) splitVariants() {
	type conversion struct {
		class int
		target
	}
	variants := map[conversion][]string{} // forms of conversion, in order of nodes
	var text []byte
	g.split(func(key []byte, n *node) []byte {
		var targets []string
		for _, l := range n.links {
			at := conversion{n.class, l.target()}
			text = g.further(l).appendText(l.appendText(text[:0]))
			i := slices.IndexFunc(variants[at], func(variant string) bool { return variant == string(text) })
			if i < 0 {
				i = len(variants[at])
				variants[at] = append(variants[at], string(text))
			}
			if i > 0 {
				targets = append(targets, at.target.String()+"="+strconv.Itoa(i))
			}
		}
		slices.Sort(targets)
		key = strconv.AppendInt(key, int64(n.class), 36)
		for _, target := range targets {
			key = append(append(key, ' '), target...)
		}
		return key
	})
}
