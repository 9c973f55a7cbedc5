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
func Differing(paths []*Path, s *shape.Shape, p, other unsafe.Pointer) []*Path {
	a, known := parsed(s, p)
	b, alsoKnown := parsed(s, other)
	if !known || !alsoKnown {
		return paths
	}
	first, second := places{nil: {a, true}}, places{nil: {b, true}}
	return slices.DeleteFunc(paths, func(at *Path) bool {
		x, y := first.find(at), second.find(at)
		return x.found && y.found && isSame(x.value, y.value)
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

// places are what is at paths in JSON, as far as they were looked for.
type places map[*Path]place

type place struct {
	value any
	found bool
}

// find finds what is at a path. It looks once at each place around it.
func (a places) find(p *Path) place {
	if known, ok := a[p]; ok {
		return known
	}
	var of place
	switch v := a.find(p.around).value.(type) {
	case []any:
		if of.found = 0 <= p.index && p.index < len(v); of.found {
			of.value = v[p.index]
		}
	case map[string]any:
		of.value, of.found = v[p.name]
	}
	a[p] = of
	return of
}

// Within reports whether each path is one of others, or is within one of these.
func Within(paths, others []*Path) bool {
	var root tree
	all := trees{nil: &root}
	for _, p := range others {
		all.add(p).ends = true
	}
	known := trees{nil: &root}
	return !slices.ContainsFunc(paths, func(p *Path) bool {
		t := known.find(p)
		return t == nil || !t.ends
	})
}

// tree is a set of paths.
type tree struct {
	ends bool
	next map[step]*tree
}

// trees are where paths lead to in a tree.
type trees map[*Path]*tree

// add returns where a path leads to. It makes the way there.
func (a trees) add(p *Path) *tree {
	if known, ok := a[p]; ok {
		return known
	}
	around := a.add(p.around)
	if around.next == nil {
		around.next = map[step]*tree{}
	}
	if around.next[p.step] == nil {
		around.next[p.step] = &tree{}
	}
	a[p] = around.next[p.step]
	return a[p]
}

// find returns where a path, or the first part of it that is in the set, leads to; nil for nowhere.
func (a trees) find(p *Path) *tree {
	if known, ok := a[p]; ok {
		return known
	}
	t := a.find(p.around)
	if t != nil && !t.ends {
		t = t.next[p.step]
	}
	a[p] = t
	return t
}
