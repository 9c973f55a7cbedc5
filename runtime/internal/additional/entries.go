package additional

import (
	"reflect"
	"unsafe"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// entriesOf reads the members of an entry of a bag; none if it is none, or no such object.
func entriesOf[T any](bag runtime.PropertyBag, key string) map[string]T {
	out := map[string]T{}
	if entry, found := bag[key]; found && kjson.UnmarshalCaseSensitivePreserveInts(jsontext.OrNull(entry), &out) != nil || out == nil {
		return map[string]T{}
	}
	return out
}

// setEntries makes members an entry of a bag; none where there are none.
// An entry that is no such object, or an empty one, stays, beside them if it must.
func setEntries[T any](b runtime.PropertyBag, key string, members map[string]T) {
	besides := key + bag.DamagedMark
	damaged, found := b[key]
	found = found && len(entriesOf[T](b, key)) == 0
	if !found {
		damaged, found = b[besides]
	}
	delete(b, key)
	delete(b, besides)
	if data, err := jsontext.Marshal(members); err == nil && len(members) > 0 {
		b[key], key = data, besides
	}
	if found {
		b[key] = damaged
	}
}

// setEntry sets a value of the map at p, which is made where there is none, to what the API has. It
// refuses a value that is not as it is read.
func setEntry(s *shape.Shape, p unsafe.Pointer, name string, value runtime.JSON) bool {
	entry := reflect.New(s.Type.Elem())
	if free, ok := entry.Interface().(*runtime.JSON); ok {
		*free = jsontext.Present(value)
	} else if !(exactReader{}).reads(codec.InStorage(s.Elem, value), entry) {
		return false
	}
	entries := s.MapAt(p)
	if entries.IsNil() {
		entries.Set(reflect.MakeMap(s.Type))
	}
	entries.SetMapIndex(reflect.ValueOf(name).Convert(s.Type.Key()), entry.Elem())
	return true
}

// exactReader reads JSON without losing anything.
type exactReader struct{}

func (exactReader) reads(value runtime.JSON, into reflect.Value) bool {
	if jsontext.Present(value) == nil {
		return false
	}
	return codec.DecodeStrictly(value, into.Interface()) && codec.IsFaithful(value, into.Interface())
}

// entryText is the JSON of an entry of the map at p, as the API has it.
func entryText(s *shape.Shape, p unsafe.Pointer, name string) runtime.JSON {
	text, _ := jsontext.Marshal(s.MapAt(p).MapIndex(reflect.ValueOf(name).Convert(s.Type.Key())).Interface()) // it has been JSON, or becomes none
	return codec.InAPI(s.Elem, text)
}
