package golang

import (
	"go/types"

	crd "sigs.k8s.io/controller-tools/pkg/crd/markers"
)

// keyed gives the keys of a list their names in the version. If one of them does not exist in the
// version, the list is not a map.
func (s *shaper) keyed(t types.Type, given markerUses) markerUses {
	list, ok := t.Underlying().(*types.Slice)
	if !ok {
		return given
	}
	element, ok := deref(list.Elem()).Underlying().(*types.Struct)
	if !ok {
		return given
	}
	var out markerUses
	lost := false
	for _, m := range given {
		if key, ok := m.value.(crd.ListMapKey); ok {
			name := s.nameIn(element, string(key))
			m.value = crd.ListMapKey(name)
			lost = lost || name == ""
		}
		out = append(out, m)
	}
	if !lost {
		return out
	}
	var rest markerUses
	for _, m := range out {
		switch m.value.(type) {
		case crd.ListMapKey, crd.ListType:
		default:
			rest = append(rest, m)
		}
	}
	return rest
}

// nameIn returns the name of a struct's member in the version; empty if the version does not have
// it. It does not look into embedded structs.
func (s *shaper) nameIn(t *types.Struct, name string) string {
	f := s.fieldsOf(t)[name]
	if f == nil {
		return name
	}
	h := s.history(f.Origin().Pos())
	switch {
	case h == nil:
		return name
	case !h.present(s.version):
		return ""
	}
	return h.wireAt(s.version)
}

// fieldsOf returns the fields of a struct by their JSON names. Of several with one name, it returns
// the first one with a history.
func (s *shaper) fieldsOf(t *types.Struct) map[string]*types.Var {
	if known := s.unit.fields[t]; known != nil {
		return known
	}
	out := map[string]*types.Var{}
	for i := range t.NumFields() {
		f, name := t.Field(i), jsonName(t.Tag(i))
		if before := out[name]; before == nil || s.history(before.Origin().Pos()) == nil {
			out[name] = f
		}
	}
	s.unit.fields[t] = out
	return out
}
