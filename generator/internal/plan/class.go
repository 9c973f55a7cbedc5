package plan

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// classify sorts nodes into classes: nodes of one class are one struct. It
// starts from what the definitions say and splits classes until all nodes of
// one have children of the same classes, and convert to each package in the
// same way.
func (g *grouper) classify() {
	g.split(func(n *node) string {
		text := sha256.Sum256(model.PrintDef(n.def)) // texts of big groups take much memory
		key := n.version.Label + " " + string(text[:])
		if n.spec {
			key += " " + n.kind.Name
		}
		return key
	})
	for {
		before := g.classes
		g.settle()
		g.splitVariants()
		if g.classes == before {
			return
		}
	}
}

// settle splits classes whose nodes have children of different classes, until
// there are none.
func (g *grouper) settle() {
	for before := -1; before != g.classes; {
		before = g.classes
		g.split(func(n *node) string {
			key := strconv.AppendInt(nil, int64(n.class), 36)
			for _, m := range n.members {
				if m.child != nil {
					key = append(key, ' ')
					key = strconv.AppendInt(key, int64(m.child.class), 36)
				}
			}
			return string(key)
		})
	}
}

// split gives nodes of equal keys one class, numbered in order of nodes.
func (g *grouper) split(key func(*node) string) {
	ids := map[string]int{}
	classes := make([]int, len(g.all))
	for i, n := range g.all {
		k := key(n)
		id, ok := ids[k]
		if !ok {
			id = len(ids)
			ids[k] = id
		}
		classes[i] = id
	}
	for i, n := range g.all {
		n.class = classes[i]
	}
	g.classes = len(ids)
}

// splitVariants splits classes whose nodes convert to one package in different
// ways. Nodes that do not convert to it at all go with the first.
func (g *grouper) splitVariants() {
	variants := map[string][]string{} // class and target -> ways, in order of nodes
	g.split(func(n *node) string {
		var marks []string
		for _, l := range n.links {
			at, text := strconv.Itoa(n.class)+" "+l.target(), l.text()
			i := slices.Index(variants[at], text)
			if i < 0 {
				i = len(variants[at])
				variants[at] = append(variants[at], text)
			}
			if i > 0 {
				marks = append(marks, l.target()+"="+strconv.Itoa(i))
			}
		}
		slices.Sort(marks)
		return strconv.Itoa(n.class) + " " + strings.Join(marks, " ")
	})
}
