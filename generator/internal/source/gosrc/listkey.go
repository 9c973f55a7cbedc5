package gosrc

import (
	"go/types"
	"reflect"
	"strings"

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
	for i := range t.NumFields() {
		tag, _, _ := strings.Cut(reflect.StructTag(t.Tag(i)).Get("json"), ",")
		h := s.history(t.Field(i).Origin().Pos())
		switch {
		case tag != name || h == nil:
		case !h.present(s.version):
			return ""
		default:
			return h.wireAt(s.version)
		}
	}
	return name
}
