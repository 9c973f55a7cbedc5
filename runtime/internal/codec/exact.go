package codec

import (
	"reflect"
	"strconv"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// DecodeExactly reads data into the value that into points to, and reports whether it did so
// without loss. If not, the value must not be used.
func DecodeExactly(data runtime.JSON, into any) bool {
	if jsontext.Present(data) == nil {
		return false
	}
	if free, ok := into.(*runtime.JSON); ok {
		*free = data
		return true
	}
	if decodePlain(data, into) {
		return true
	}
	if !jsontext.IsValid(data) {
		return false
	}
	r := Reader{Cursor: jsontext.Cursor{Data: data}, exact: true}
	return r.Value(shape.Of(reflect.TypeOf(into).Elem()), shape.Address(into))
}

// decodePlain reads the most frequent scalars in their usual spelling. It returns false for other
// data, which may also be valid.
func decodePlain(data runtime.JSON, into any) bool {
	switch into := into.(type) {
	case **string:
		return decodePlainString(data, into)
	case **int64:
		return decodePlainInteger(data, into)
	case **bool:
		return decodeBool(data, into)
	default:
		return false
	}
}

func decodePlainString(data runtime.JSON, into **string) bool {
	last := len(data) - 1
	if last < 1 || data[0] != '"' || data[last] != '"' || !jsontext.IsPlain(data[1:last]) {
		return false
	}
	value := string(data[1:last])
	*into = &value
	return true
}

func decodePlainInteger(data runtime.JSON, into **int64) bool {
	if !jsontext.IsInteger(string(data)) {
		return false
	}
	value, err := strconv.ParseInt(string(data), 10, 64)
	if err != nil {
		return false
	}
	*into = &value
	return true
}

func decodeBool(data runtime.JSON, into **bool) bool {
	value := string(data) == "true"
	if !value && string(data) != "false" {
		return false
	}
	*into = &value
	return true
}
