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

// Reader reads valid JSON into Go values by their shapes, in one pass. Its time is linear in the
// length of the JSON, for any nesting. The memory that it writes to must be zero.
//
// Without Misfits and exact it accepts the same JSON as the decoder of Kubernetes.
type Reader struct {
	jsontext.Cursor
	// Misfits collects the values that do not fit their types. If it is nil, such a value is an
	// error.
	Misfits *Misfits
	// exact means that the reader refuses JSON that the writer would not write unchanged. Members
	// that a type lacks go to the property bag of their object. An object without a bag is
	// refused.
	exact bool
	// lengths are the lengths of all lists. They are counted when the first list with several
	// elements is read.
	lengths []listLength
	counted bool
	// ahead counts the bytes that were scanned ahead.
	ahead int
	// Err describes the value that did not fit.
	Err error
	// owned reports whether the innermost object has a property bag for misfits.
	owned bool
	// Watch ends the reading of a value. The cursor has no watch, because it must read valid JSON
	// to its end.
	Watch *watch.Watch
}

// listLength is the number of elements of the list that begins at an offset.
type listLength struct{ at, count uint32 }

// mismatch records in Err a value that does not fit. It always returns false.
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

// within adds the name of a member to the error of a value in it, up to maxPath bytes. It always
// returns false.
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

// keep adds the current member, which does not fit, to the misfits of its object. It returns
// false if the object has no bag for it.
func (r *Reader) keep(s *shape.Shape, p unsafe.Pointer, name string) bool {
	if !r.owned || !r.Misfits.hasRoom() {
		return false
	}
	r.Misfits.keep(s, p, name, r.Raw())
	return true
}

// unknown stores a member that a storage type lacks in the bag of its object.
func (r *Reader) unknown(s *shape.Shape, p unsafe.Pointer, name []byte) {
	kept := string(name)
	value := r.Raw()
	if string(value) == jsontext.Null {
		return
	}
	if b := s.BagAt(p); len(*b) == bag.Small {
		*b = bag.WithRoom(*b, r.Count())
	}
	r.Misfits.unknown(s, p, kept, value)
}

// gather stores a member that the type lacks in the property bag of its object. It returns false
// if the object has no bag, or the bag has the entry.
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

// gathers reports whether the bag of the object around collects the misfits of a list or a map.
func (r *Reader) gathers(s *shape.Shape) bool {
	object := s.Elem.Object()
	return r.owned && object != nil && r.Misfits.Owns(object) && r.Misfits.hasRoom()
}

// isMisfit reports whether the first byte shows that the current value is a misfit: an object is
// required and it is none.
func (r *Reader) isMisfit(s *shape.Shape) bool {
	if r.Misfits == nil {
		return false
	}
	b := r.Peek()
	return b == 'n' && s.Kind != shape.JSON || b != '{' && !s.Foreign && s.Object() != nil
}

// isNullable reports whether the writer writes a null in a list or a map as a null.
func isNullable(s *shape.Shape) bool {
	return s.Kind == shape.Pointer || s.Kind == shape.List || s.Kind == shape.Map || s.Kind == shape.JSON
}
