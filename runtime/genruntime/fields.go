package genruntime

import (
	"fmt"
	"math"
	"reflect"
	"strconv"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// The functions below convert between fields of hand-written API types and those of storage
// types. A storage field has the value that the JSON of the API field has. An absent storage
// value becomes a zero value if the API field is no pointer. If the API field's type cannot
// represent a stored value, the error satisfies [IsUnrepresentable], and the field does not
// change.

// Filled returns v, or nil if its value is zero, which omitempty omits.
func Filled[T comparable](v *T) *T {
	if *v == *new(T) {
		return nil
	}
	return v
}

// FilledList returns list, or nil if it is empty, which omitempty omits.
func FilledList[L ~[]E, E any](list L) L {
	if len(list) == 0 {
		return nil
	}
	return list
}

// FilledMap returns m, or nil if it is empty, which omitempty omits.
func FilledMap[M ~map[string]E, E any](m M) M {
	if len(m) == 0 {
		return nil
	}
	return m
}

// Unempty returns v, or nil if omitempty omits its value.
func Unempty[T any](v *T) *T {
	empty := false
	switch r := reflect.ValueOf(v).Elem(); r.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		empty = r.Len() == 0
	case reflect.Struct:
	default:
		empty = r.IsZero()
	}
	if empty {
		return nil
	}
	return v
}

// Unzero returns v, or nil if omitzero omits its value.
func Unzero[T any](v *T) *T {
	zeroer, ok := any(v).(interface{ IsZero() bool })
	if ok && zeroer.IsZero() || !ok && reflect.ValueOf(v).Elem().IsZero() {
		return nil
	}
	return v
}

// Value returns the value that p points to, and the zero value for nil.
func Value[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// ValueFrom converts the value that src points to into dst. It does not change dst if src is nil.
func ValueFrom[S, D any](dst *D, src *S, convert func(*D, *S) error) error {
	if src == nil {
		return nil
	}
	return convert(dst, src)
}

// PointeeTo adapts a conversion to elements that are pointers. A nil pointer is converted to a
// zero value.
func PointeeTo[S, D any](convert func(*S, *D) error) func(**S, *D) error {
	return func(src **S, dst *D) error {
		if *src == nil {
			return nil
		}
		return convert(*src, dst)
	}
}

// PointeeFrom is [PointeeTo] in the other direction. The result is never nil.
func PointeeFrom[S, D any](convert func(*D, *S) error) func(**D, *S) error {
	return func(dst **D, src *S) error {
		*dst = new(D)
		return convert(*dst, src)
	}
}

// TextTo converts a value of a string type.
func TextTo[T ~string](src *T, dst *string) error {
	*dst = string(*src)
	return nil
}

// TextFrom is [TextTo] in the other direction.
func TextFrom[T ~string](dst *T, src *string) error {
	*dst = T(*src)
	return nil
}

// TruthTo converts a value of a boolean type.
func TruthTo[T ~bool](src *T, dst *bool) error {
	*dst = bool(*src)
	return nil
}

// TruthFrom is [TruthTo] in the other direction.
func TruthFrom[T ~bool](dst *T, src *bool) error {
	*dst = T(*src)
	return nil
}

type wholeNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// IntegerTo converts a value of an integer type. A value above the largest int64 is an error.
func IntegerTo[T wholeNumber](src *T, dst *int64) error {
	if *src > 0 && uint64(*src) > math.MaxInt64 {
		return fmt.Errorf("the integer %d has more than 63 bits", *src)
	}
	*dst = int64(*src)
	return nil
}

// IntegerFrom is [IntegerTo] in the other direction. If T cannot represent the integer, the error
// satisfies [IsUnrepresentable].
func IntegerFrom[T wholeNumber](dst *T, src *int64) error {
	v := T(*src)
	if int64(v) != *src || (v < 0) != (*src < 0) {
		return unrepresentable[T](strconv.FormatInt(*src, 10))
	}
	*dst = v
	return nil
}

// NumberTo converts a value of a float type. A float32 becomes the number that its shortest
// decimal text denotes, as in JSON.
func NumberTo[T ~float32 | ~float64](src *T, dst *float64) (err error) {
	if bits := reflect.TypeFor[T]().Bits(); bits == 32 {
		*dst, err = strconv.ParseFloat(strconv.FormatFloat(float64(*src), 'g', -1, bits), 64)
		return err
	}
	*dst = float64(*src)
	return nil
}

// NumberFrom is [NumberTo] in the other direction. If T cannot represent the number, the error
// satisfies [IsUnrepresentable].
func NumberFrom[T ~float32 | ~float64](dst *T, src *float64) error {
	v := T(*src)
	var again float64
	if err := NumberTo(&v, &again); err != nil || again != *src {
		return unrepresentable[T](strconv.FormatFloat(*src, 'g', -1, 64))
	}
	*dst = v
	return nil
}

// JSONTo converts src to dst through its JSON. It does not change dst if src is nil, or its JSON
// is null.
func JSONTo[S, D any](src *S, dst *D) error {
	if src == nil {
		return nil
	}
	data, err := jsontext.Marshal(src)
	if err != nil {
		return fmt.Errorf("write %T: %w", *src, err)
	}
	if jsontext.Present(data) == nil {
		return nil
	}
	data = codec.InStorage(shape.Of(reflect.TypeFor[D]()), data)
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, dst); err != nil {
		return fmt.Errorf("store %T: %w", *src, err)
	}
	return nil
}

// JSONFrom is [JSONTo] in the other direction. If D cannot read the JSON, the error satisfies
// [IsUnrepresentable].
func JSONFrom[S, D any](dst *D, src *S) error {
	if src == nil {
		return nil
	}
	data, err := jsontext.Marshal(src)
	if err != nil {
		return fmt.Errorf("write what is stored of %T: %w", *dst, err)
	}
	if jsontext.Present(data) == nil {
		return nil
	}
	data = codec.InAPI(shape.Of(reflect.TypeFor[S]()), data)
	var read D
	if kjson.UnmarshalCaseSensitivePreserveInts(data, &read) != nil {
		return unrepresentable[D](string(data))
	}
	*dst = read
	return nil
}

// SetStatusOf sets dst to a status, for resources whose status is no pointer. It converts a
// status of another version, and sets a blank one for nil.
func SetStatusOf[T any, P statusPointer[T]](dst *T, status runtime.ConvertibleStatus) error {
	if status == nil {
		*dst = *new(T)
		return nil
	}
	if same, ok := status.(P); ok {
		*dst = *same
		return nil
	}
	var converted T
	if err := P(&converted).ConvertStatusFrom(status); err != nil {
		return fmt.Errorf("set status: %w", err)
	}
	*dst = converted
	return nil
}
