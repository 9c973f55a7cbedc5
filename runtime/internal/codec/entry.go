package codec

import (
	"bytes"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Entry returns the JSON of a value for an entry of a property bag, and nil if the value is absent
// or has no JSON. It writes the bytes that an API server writes after it has read them: with
// escapes for <, > and &, and with sorted members. So an entry is the same whether the hub has the
// value as a property or in a bag. Free JSON keeps its spelling.
func Entry[T any](value T) runtime.JSON {
	switch value := any(value).(type) {
	case runtime.JSON:
		return jsontext.Present(value)
	case *string:
		if value == nil {
			return nil
		}
		return jsontext.AppendText(make(runtime.JSON, 0, len(*value)+len(`""`)), *value)
	case *int64:
		if value == nil {
			return nil
		}
		return strconv.AppendInt(nil, *value, 10)
	case *bool:
		if value == nil {
			return nil
		}
		return strconv.AppendBool(nil, *value)
	}
	return otherEntry(value)
}

// otherEntry is Entry for values that need an address.
func otherEntry[T any](value T) runtime.JSON {
	if isNil(reflect.ValueOf(&value).Elem()) {
		return nil
	}
	data, err := EntryIn(shape.Of(reflect.TypeFor[T]()), unsafe.Pointer(&value))
	if err != nil {
		return nil
	}
	return jsontext.Present(data)
}

func isNil(v reflect.Value) bool {
	k := v.Kind()
	return (k == reflect.Pointer || k == reflect.Slice || k == reflect.Map) && v.IsNil()
}

// EntryIn returns the JSON of the value of shape s at p, spelled as by [Entry]. An absent value is
// null.
func EntryIn(s *shape.Shape, p unsafe.Pointer) (runtime.JSON, error) {
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	w := Writer{Out: (*scratch)[:0], Sorted: true}
	switch err := w.Value(s, p, nil, nil); {
	case err != nil:
		return nil, err
	case cap(w.Out) > maxScratch:
		return w.Out, nil
	}
	*scratch = w.Out
	return bytes.Clone(w.Out), nil
}

// EntryOf is EntryIn for a value that may have no address.
func EntryOf(value reflect.Value) (runtime.JSON, error) {
	at := reflect.New(value.Type())
	at.Elem().Set(value)
	return EntryIn(shape.Of(value.Type()), at.UnsafePointer())
}
