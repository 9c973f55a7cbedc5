package jsontext

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"sync"

	"github.com/stratakube/strata/runtime"
)

// Encode returns the JSON of a value. It returns nil if the value is absent or has no JSON.
func Encode(value any) runtime.JSON {
	switch value := value.(type) {
	case runtime.JSON:
		return Present(value)
	case *string:
		if value != nil && IsPlain(*value) {
			return append(append(append(make(runtime.JSON, 0, len(*value)+len(`""`)), '"'), *value...), '"')
		}
	case *int64:
		if value != nil {
			return strconv.AppendInt(nil, *value, 10)
		}
	case *bool:
		if value != nil {
			return strconv.AppendBool(nil, *value)
		}
	}
	if isAbsent(value) {
		return nil
	}
	data, err := Marshal(value)
	if err != nil {
		return nil
	}
	return Present(data)
}

// Present returns value, or nil if it is null or empty.
func Present(value runtime.JSON) runtime.JSON {
	if len(value) == 0 || string(value) == Null {
		return nil
	}
	return value
}

func isAbsent(value any) bool {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return v.IsNil()
	default:
		return false
	}
}

// Marshal is json.Marshal without HTML escapes, so that free JSON inside a value keeps its
// spelling.
func Marshal(value any) ([]byte, error) { return Append(nil, value) }

// Append appends the result of Marshal to out.
func Append(out []byte, value any) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.buffer.Reset()
	if err := e.json.Encode(value); err != nil {
		return nil, err
	}
	return append(out, bytes.TrimSuffix(e.buffer.Bytes(), []byte("\n"))...), nil
}

type encoder struct {
	buffer bytes.Buffer
	json   *json.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := new(encoder)
	e.json = json.NewEncoder(&e.buffer)
	e.json.SetEscapeHTML(false)
	return e
}}

// QuotedName returns the name of a member as JSON, with its colon.
func QuotedName(name string) string { return string(append(AppendText(nil, name), ':')) }
