package crd

import (
	"slices"
	"strconv"

	"github.com/stratakube/strata/generator/internal/plan"
)

// Structural schemas have no references: a struct is written at every path that leads to it.
// Types that refer to each other have more paths than any CRD can contain. A cut omits the
// schemas of all or some members of objects, and some rules of versions, so that a CRD is small
// enough.

// cut limits the schemas and rules of a CRD.
type cut struct {
	// away is the number of levels that an object has at other paths than its first one, which is
	// the nearest to the root.
	away int
	// depth is the number of levels of objects at all paths.
	depth int
	// width is the number of members of an object that have a schema.
	width int
	// rules is the number of rules of a spec or a status.
	rules int
}

const everywhere = 1 << 20

// The cuts are tried one after the other until a CRD is small enough. They omit first objects at
// several paths, then rules, then members of wide objects, then deep objects.
var (
	aways  = awaysWith(maxRules)
	rules  = slices.Concat(awaysWith(200), awaysWith(100), awaysWith(50), awaysWith(25), awaysWith(0))
	widths = widthsOf(4000, 3000, 2000, 1500, 1000, 700, 500)
	depths = depthsOf(64, 32, 16, 12, 8, 6, 4, 3, 2, 1)
)

func awaysWith(rules int) []cut {
	var out []cut
	for _, away := range []int{everywhere, 8, 6, 4, 3, 2, 1, 0} {
		out = append(out, cut{away, everywhere, everywhere, rules})
	}
	return out
}

func widthsOf(all ...int) []cut {
	var out []cut
	for _, width := range all {
		out = append(out, cut{0, everywhere, width, 0})
	}
	return out
}

func depthsOf(all ...int) []cut {
	var out []cut
	for _, depth := range all {
		out = append(out, cut{0, depth, 500, maxRules}, cut{0, depth, 500, 0})
	}
	return out
}

// attempts returns the cuts that are tried for a kind, and the size that a CRD may then have. A
// native kind is cut only if an API server could not store its CRD, because clients may use all
// of it.
func attempts(k *plan.Kind, o Options) []attempt {
	stored := max(o.Limit, maxStored)
	if k.Verbatim {
		return []attempt{{aways, o.Limit}, {aways, stored}, {widths, stored}, {depths, stored}}
	}
	return []attempt{{aways, o.Limit}, {rules, o.Limit}, {widths, o.Limit}, {depths, o.Limit}, {depths, stored}}
}

type attempt struct {
	cuts []cut
	most int
}

// maxStored is the maximum size of a CRD, in bytes, that an API server can store.
const maxStored = 3 << 19

// reason returns the reason for the cut of an object, for reports.
func (c cut) reason(deep bool) string {
	switch {
	case deep:
		return "the CRD would be too large with objects below level " + strconv.Itoa(c.depth)
	case c.away == 0:
		return "the CRD would be too large if it were written here too; its members are checked at its first path"
	}
	return "the CRD would be too large if all levels of it were written here too; its members are checked at its first path"
}

// reasonOfWidth returns the reason why an object's later members have no schema.
func (c cut) reasonOfWidth() string {
	return "the CRD would be too large with more than " + strconv.Itoa(c.width) + " members of an object"
}

// reasonOfRules returns the reason why a version has no more rules.
func (c cut) reasonOfRules() string {
	if c.rules == maxRules {
		return "a version has at most " + strconv.Itoa(maxRules) + " rules"
	}
	return "the CRD would be too large with more than " + strconv.Itoa(c.rules) + " rules of a version"
}

// level is the position of an object, for cuts.
type level struct {
	first bool // the first path of the struct, and of all structs around it
	away  int  // levels below the last such path
	depth int
}

// firsts maps every struct that a root reaches to the field at its first path.
type firsts map[*plan.Struct]*plan.Field

func firstsOf(root *plan.Struct) firsts {
	out := firsts{root: nil}
	queue := []*plan.Struct{root}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, f := range s.Fields {
			c := f.API.Struct
			if c == nil {
				continue
			}
			if _, known := out[c]; !known {
				out[c] = f
				queue = append(queue, c)
			}
		}
	}
	return out
}

// below returns the level of a field's objects, given the level of the object with the field.
func (at level) below(f *plan.Field, all firsts) level {
	out := level{first: at.first && all[f.API.Struct] == f, depth: at.depth + 1}
	if !out.first {
		out.away = at.away + 1
	}
	return out
}

// cuts reports whether an object at a level is cut, and whether its depth is the reason.
func (c cut) cuts(at level) (cut, deep bool) {
	return at.away > c.away || at.depth > c.depth, at.depth > c.depth
}
