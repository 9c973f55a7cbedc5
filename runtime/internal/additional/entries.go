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

// entriesOf reads the members of an entry of a bag. It returns an empty map if the entry is
// absent, or is no such object.
func entriesOf[T any](bag runtime.PropertyBag, key string) map[string]T {
	out := map[string]T{}
	if entry, found := bag[key]; found && kjson.UnmarshalCaseSensitivePreserveInts(jsontext.OrNull(entry), &out) != nil || out == nil {
		return map[string]T{}
	}
	return out
}

// setEntries stores members as an entry of a bag; it stores no empty entry. If the bag has a
// damaged or an empty entry under the key, setEntries preserves it, under another key if
// necessary.
func setEntries[T any](b runtime.PropertyBag, key string, members map[string]T) {
	besides := key + bag.DamagedSuffix
	damaged, found := b[key]
	found = found && len(entriesOf[T](b, key)) == 0
	if !found {
		damaged, found = b[besides]
	}
	delete(b, key)
	delete(b, besides)
	if data, err := codec.EntryIn(shape.Of(reflect.TypeFor[map[string]T]()), unsafe.Pointer(&members)); err == nil && len(members) > 0 {
		b[key], key = data, besides
	}
	if found {
		b[key] = damaged
	}
}

// setEntry sets a value of the map at p to the API form of value. It creates the map if
// necessary. It returns false if reading the value would change it.
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

// exactReader reads JSON without loss.
type exactReader struct{}

func (exactReader) reads(value runtime.JSON, into reflect.Value) bool {
	if jsontext.Present(value) == nil {
		return false
	}
	return codec.DecodeStrictly(value, into.Interface()) && codec.IsFaithful(value, into.Interface())
}

// entryText returns the JSON of an entry of the map at p, in the form of the API.
func entryText(s *shape.Shape, p unsafe.Pointer, name string) runtime.JSON {
	text, _ := codec.EntryOf(s.MapAt(p).MapIndex(reflect.ValueOf(name).Convert(s.Type.Key()))) // the value was read from JSON
	return codec.InAPI(s.Elem, text)
}
