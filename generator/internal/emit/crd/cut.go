package crd

import (
	"slices"
	"strconv"

	"github.com/stratakube/strata/generator/internal/plan"
)

// Structural schemas have no references: a struct is written out wherever it stands, and types that
// refer to each other stand at more places than any CRD can hold. A cut leaves objects without a
// schema of their own members, or of some of them, and versions without some of their rules, so
// that a CRD fits.

// cut reports what has no schema and no rules.
type cut struct {
	// away is how many levels deep an object is written at places other than its first;
	// the first is the nearest to the root.
	away int
	// depth is how many levels deep objects are written at all.
	depth int
	// width is how many members of an object are written.
	width int
	// rules is how many rules a spec or a status has.
	rules int
}

const everywhere = 1 << 20

// Cuts that are tried one after the other until a CRD fits: what stands at several places, then
// rules, then members of wide objects, then what is deep.
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

// attempts are the cuts that are tried for a kind, and how large a CRD may then be. What others
// have written, and may have in use, is cut where an API server could not store it.
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

// maxStored is how large a CRD an API server can store.
const maxStored = 3 << 19

// reason says why an object is cut, for reports.
func (c cut) reason(deep bool) string {
	switch {
	case deep:
		return "the CRD would be too large with objects below level " + strconv.Itoa(c.depth)
	case c.away == 0:
		return "the CRD would be too large if it were written here too; its members are checked at its first path"
	}
	return "the CRD would be too large if all levels of it were written here too; its members are checked at its first path"
}

// reasonOfWidth says why an object has no schema of its later members.
func (c cut) reasonOfWidth() string {
	return "the CRD would be too large with more than " + strconv.Itoa(c.width) + " members of an object"
}

// reasonOfRules says why a version has no more rules.
func (c cut) reasonOfRules() string {
	if c.rules == maxRules {
		return "a version has at most " + strconv.Itoa(maxRules) + " rules"
	}
	return "the CRD would be too large with more than " + strconv.Itoa(c.rules) + " rules of a version"
}

// level is where an object stands, as far as cuts are concerned.
type level struct {
	first bool // the first place of the struct, and of all around it
	away  int  // levels since the last such place
	depth int
}

// firsts has, for every struct that a root reaches, the field of its first place.
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

// below is the level of the objects of a field, whose own object is at a level.
func (at level) below(f *plan.Field, all firsts) level {
	out := level{first: at.first && all[f.API.Struct] == f, depth: at.depth + 1}
	if !out.first {
		out.away = at.away + 1
	}
	return out
}

// cuts reports whether an object at a level is cut, and whether for its depth.
func (c cut) cuts(at level) (cut, deep bool) {
	return at.away > c.away || at.depth > c.depth, at.depth > c.depth
}
