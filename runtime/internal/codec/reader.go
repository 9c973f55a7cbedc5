package codec

import (
	"encoding/json"
	"slices"
	"strings"
	"unsafe"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// Reader reads valid JSON into Go values by their shapes, in one pass: its time is linear in the
// length of the JSON, however deep objects are nested and whatever they hold. It writes only to
// memory that is zero.
//
// Without misfits and without exact it reads what the JSON decoder of Kubernetes reads.
type Reader struct {
	jsontext.Cursor
	// Misfits collects the values that do not fit their types. Where it is nil, such a value is an
	// error.
	Misfits *Misfits
	// exact refuses whatever would not be written again as it was read. Members that a type lacks
	// go to the property bag of their object, or are refused where it has none.
	exact bool
	// lengths are those of all lists; they are counted when the first list with several elements is
	// read.
	lengths []listLength
	counted bool
	// ahead counts the bytes that were looked at ahead.
	ahead int
	// Err describes the value that did not fit.
	Err error
	// owned reports whether the nearest object around the value has a property bag for misfits.
	owned bool
	// Watch ends the reading of a value. The cursor has none, since it reads all of valid JSON.
	Watch *watch.Watch
}

// listLength is how many elements the list has that begins at an offset.
type listLength struct{ at, count uint32 }

// mismatch notes what does not fit; it is always false.
func (r *Reader) mismatch(s *shape.Shape) bool {
	if r.Err == nil && r.Misfits == nil && !r.exact {
		r.Err = &json.UnmarshalTypeError{Value: kindName(r.Peek()), Type: s.Type, Offset: int64(r.At)}
	}
	return false
}

// kindName names the kind of JSON value that begins with b.
func kindName(b byte) string {
	switch b {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	default:
		return "number"
	}
}

// within names the member of a value that did not fit in the error, up to a length; it is always
// false.
func (r *Reader) within(name string) bool {
	wrong, ok := r.Err.(*json.UnmarshalTypeError)
	switch {
	case !ok || len(wrong.Field)+len(name) > maxPath:
	case wrong.Field == "":
		wrong.Field = strings.Clone(name)
	default:
		wrong.Field = name + "." + wrong.Field
	}
	return false
}

// keep gives the member at hand, which does not fit, to the misfits of its object. It refuses where
// the object has no bag.
func (r *Reader) keep(s *shape.Shape, p unsafe.Pointer, name string) bool {
	if !r.owned || !r.Misfits.hasRoom() {
		return false
	}
	r.Misfits.keep(s, p, name, r.Raw())
	return true
}

// gather puts a member that the type lacks into the property bag of its object, if the bag has no
// such entry.
func (r *Reader) gather(s *shape.Shape, p unsafe.Pointer, name []byte) bool {
	value := r.Raw()
	if !s.HasBag || string(value) == jsontext.Null {
		return false
	}
	b, key := s.BagAt(p), bag.MemberKey(string(name))
	if _, found := (*b)[key]; found {
		return false
	}
	bag.Put(b, key, slices.Clone(value))
	return true
}

// gathers reports whether the misfits of a list or a map are gathered in the bag of the object
// around.
func (r *Reader) gathers(s *shape.Shape) bool {
	object := s.Elem.Object()
	return r.owned && object != nil && r.Misfits.Owns(object) && r.Misfits.hasRoom()
}

// isMisfit reports whether the value at hand can be seen to be a misfit: no object where there
// should be one.
func (r *Reader) isMisfit(s *shape.Shape) bool {
	if r.Misfits == nil {
		return false
	}
	b := r.Peek()
	return b == 'n' && s.Kind != shape.JSON || b != '{' && !s.Foreign && s.Object() != nil
}

// isNullable reports whether a null in a list or a map is written again as a null.
func isNullable(s *shape.Shape) bool {
	return s.Kind == shape.Pointer || s.Kind == shape.List || s.Kind == shape.Map || s.Kind == shape.JSON
}
