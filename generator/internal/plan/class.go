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
		key := strconv.Itoa(n.class)
		for _, w := range n.ways() {
			at := strconv.Itoa(n.class) + " " + w.target
			i := slices.Index(variants[at], w.text)
			if i < 0 {
				i = len(variants[at])
				variants[at] = append(variants[at], w.text)
			}
			if i > 0 {
				key += " " + w.target + "=" + strconv.Itoa(i)
			}
		}
		return key
	})
}

// way is how a node converts to a target package, spelled out.
type way struct{ target, text string }

// ways lists a node's step and its fused conversions.
func (n *node) ways() []way {
	var out []way
	if n.next != nil {
		out = append(out, way{"step " + n.next.version.Label, n.stepText()})
	}
	for _, f := range n.fused {
		out = append(out, way{"to " + f.target.version.Label, f.text()})
	}
	slices.SortFunc(out, func(a, b way) int { return strings.Compare(a.target+a.text, b.target+b.text) })
	return out
}

func (n *node) stepText() string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(n.next.class))
	for _, mv := range n.moves() {
		b.WriteByte('\n')
		b.WriteString(mv.action.String())
		for _, m := range []*member{mv.far, mv.near} {
			if m != nil {
				b.WriteByte(' ')
				b.WriteString(m.ident)
			}
		}
		b.WriteString(strings.Join(mv.keys, " "))
	}
	return b.String()
}

func (f *fused) text() string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(f.target.class))
	for _, at := range f.at {
		b.WriteByte('\n')
		b.WriteString(at.end().ident)
		b.WriteString(strings.Join(at.keys, " "))
		if c := at.end().child; c != nil {
			b.WriteString(" " + c.version.Label + strconv.Itoa(c.class))
		}
	}
	return b.String()
}

// nodeMove is a move between members of nodes.
type nodeMove struct {
	action    Action
	far, near *member
	keys      []string
}

// moves decides a node's step to its neighbour.
func (n *node) moves() []nodeMove {
	var out []nodeMove
	far, near := n.version.Index, n.next.version.Index
	for _, m := range n.members {
		if m.lineage.Transfers(far, near) {
			out = append(out, nodeMove{action: Keep, far: m, near: n.next.of(m.lineage)})
		} else {
			out = append(out, nodeMove{action: Stow, far: m, keys: keyNames(m.lineage, far)})
		}
	}
	for _, m := range n.next.members {
		if !m.lineage.Transfers(far, near) {
			out = append(out, nodeMove{action: Fetch, near: m, keys: keyNames(m.lineage, near)})
		}
	}
	return out
}
