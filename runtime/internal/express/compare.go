package express

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Differing returns those of the paths at which two specs of one shape differ. The first spec has a
// value at each path.
func Differing(paths []Path, s *shape.Shape, p, other unsafe.Pointer) []Path {
	a, known := parsed(s, p)
	b, alsoKnown := parsed(s, other)
	if !known || !alsoKnown {
		return paths
	}
	return slices.DeleteFunc(paths, func(at Path) bool {
		x, found := at.in(a)
		y, alsoFound := at.in(b)
		return found && alsoFound && isSame(x, y)
	})
}

func parsed(s *shape.Shape, p unsafe.Pointer) (value any, ok bool) {
	data, err := jsontext.Marshal(reflect.NewAt(s.Type, p).Interface())
	if err != nil {
		return nil, false
	}
	value, err = jsontext.Parse(data)
	return value, err == nil
}

func isSame(a, b any) bool {
	x, err := jsontext.Marshal(a)
	y, err2 := jsontext.Marshal(b)
	return err == nil && err2 == nil && jsontext.IsSame(x, y)
}

// in finds the value at a path.
func (p Path) in(value any) (found any, ok bool) {
	for _, s := range p {
		switch v := value.(type) {
		case []any:
			if s.index < 0 || s.index >= len(v) {
				return nil, false
			}
			value = v[s.index]
		case map[string]any:
			if value, ok = v[s.name]; !ok {
				return nil, false
			}
		default:
			return nil, false
		}
	}
	return value, true
}

// Within reports whether each path is one of others, or lies within one of these.
func Within(paths, others []Path) bool {
	var all tree
	for _, p := range others {
		all.add(p)
	}
	return !slices.ContainsFunc(paths, func(p Path) bool { return !all.leadsTo(p) })
}

// tree is a set of paths.
type tree struct {
	ends bool
	next map[step]*tree
}

func (t *tree) add(p Path) {
	for _, s := range p {
		if t.next == nil {
			t.next = map[step]*tree{}
		}
		if t.next[s] == nil {
			t.next[s] = &tree{}
		}
		t = t.next[s]
	}
	t.ends = true
}

// leadsTo reports whether a path, or the beginning of it, is in the set.
func (t *tree) leadsTo(p Path) bool {
	for _, s := range p {
		if t.ends {
			return true
		}
		if t = t.next[s]; t == nil {
			return false
		}
	}
	return t.ends
}
