package genruntime

import (
	"fmt"
	"reflect"
	"unsafe"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// MarshalOpen writes an open object. Fixed has the members that the schema names, and must have
// no MarshalJSON method. The additional members follow, sorted by name; they are the
// AdditionalProperties of the object. MarshalOpen omits an additional member whose name fixed
// writes. In storage types it adds one $ to a name that a reader could take for that of the
// property bag. It writes inner objects without a call of their MarshalJSON, so that the time is
// linear in the length of the output.
func MarshalOpen[T, V any](fixed T, additional map[string]V) ([]byte, error) {
	s := shape.Of(reflect.TypeFor[T]())
	if !isOpen[V](s) {
		return nil, fmt.Errorf("%T has no additional members of %v", fixed, reflect.TypeFor[V]())
	}
	*(*map[string]V)(unsafe.Add(unsafe.Pointer(&fixed), s.Additional.Offset)) = additional
	w := codec.Writer{}
	if err := w.Object(s, unsafe.Pointer(&fixed), nil); err != nil {
		return nil, err
	}
	return w.Out, nil
}

// UnmarshalOpen reads an open object. Known members go to fixed, which must have no UnmarshalJSON
// method. The others go to its AdditionalProperties, to which additional points; that map is nil
// if there are none. Names must match exactly, and are those that [MarshalOpen] writes. A null is
// an absent member, except if V is JSON. UnmarshalOpen reads inner objects without a call of
// their UnmarshalJSON, so that the time is linear in the length of data.
func UnmarshalOpen[T, V any](data []byte, fixed *T, additional *map[string]V, _ ...string) error {
	*additional = nil
	s := shape.Of(reflect.TypeFor[T]())
	if !isOpen[V](s) {
		return fmt.Errorf("read %T: it has no additional members of %v", fixed, reflect.TypeFor[V]())
	}
	if !jsontext.IsValid(data) {
		return kjson.UnmarshalCaseSensitivePreserveInts(data, fixed)
	}
	var read T
	r := codec.Reader{Cursor: jsontext.Cursor{Data: data}}
	if !r.Value(s, unsafe.Pointer(&read)) {
		return fmt.Errorf("read %T: %w", fixed, r.Err)
	}
	*fixed, *additional = read, *(*map[string]V)(unsafe.Add(unsafe.Pointer(&read), s.Additional.Offset))
	return nil
}

// isOpen reports whether objects of a shape have additional members of type V.
func isOpen[V any](s *shape.Shape) bool {
	return s.Kind == shape.Object && s.Additional != nil && s.Additional.Shape.Type == reflect.TypeFor[map[string]V]()
}
