package crd

import (
	"strconv"

	"github.com/stratakube/strata/generator/internal/plan"
)

// Structural schemas have no references: a struct is written out wherever it stands,
// and types that refer to each other stand at more places than any definition can hold.
// A cut leaves objects without a schema of their own members, so that a definition fits.

// cut tells which objects have no schema of their members.
type cut struct {
	// away is how many levels deep an object is written at places other than its first;
	// the first is the nearest to the root.
	away int
	// depth is how many levels deep objects are written at all.
	depth int
}

const everywhere = 1 << 20

// aways are tried one after the other until a definition fits. depths are for definitions
// that an API server could not store.
var (
	aways = []cut{
		{everywhere, everywhere},
		{8, everywhere}, {6, everywhere}, {4, everywhere}, {3, everywhere}, {2, everywhere}, {1, everywhere}, {0, everywhere},
	}
	depths = []cut{{0, 64}, {0, 32}, {0, 16}, {0, 12}, {0, 8}, {0, 6}, {0, 4}, {0, 3}, {0, 2}, {0, 1}}
)

// maxStored is how large a definition an API server can store.
const maxStored = 3 << 19

// reason says why an object is cut, for reports.
func (c cut) reason(deep bool) string {
	switch {
	case deep:
		return "the definition would be too large with objects below level " + strconv.Itoa(c.depth)
	case c.away == 0:
		return "the definition would be too large if it were written here too; its members are checked where it stands first"
	}
	return "the definition would be too large if all levels of it were written here too; its members are checked where it stands first"
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
