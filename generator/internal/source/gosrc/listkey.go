package gosrc

import (
	"go/types"

	crd "sigs.k8s.io/controller-tools/pkg/crd/markers"
)

// keyed gives the keys of a list the names that they have in the version. Where one of them is not
// there yet, or no longer, the list is none of a map's.
func (s *shaper) keyed(t types.Type, said marks) marks {
	list, ok := t.Underlying().(*types.Slice)
	if !ok {
		return said
	}
	element, ok := deref(list.Elem()).Underlying().(*types.Struct)
	if !ok {
		return said
	}
	var out marks
	lost := false
	for _, m := range said {
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
	var rest marks
	for _, m := range out {
		switch m.value.(type) {
		case crd.ListMapKey, crd.ListType:
		default:
			rest = append(rest, m)
		}
	}
	return rest
}

// nameIn is what a member of a struct is called in the version, empty if it is not there. Of embedded
// structs nothing is known.
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

// fieldsOf are the fields of a struct by their names in JSON: of several of one name the first with a history.
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
