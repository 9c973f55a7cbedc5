package genruntime

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/counting"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/preserve"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// UnrepresentableError reports that the Go type of an API version cannot represent a stored
// value. An example is a long integer that another version wrote, in a field of type int32.
type UnrepresentableError struct {
	// Type is the Go type.
	Type reflect.Type
	// Value is the JSON of the value.
	Value string
}

// Error names the type. It omits the value, which may be secret.
func (e *UnrepresentableError) Error() string {
	return fmt.Sprintf("a stored value does not fit %v", e.Type)
}

func unrepresentable[T any](value string) error {
	return &UnrepresentableError{Type: reflect.TypeFor[T](), Value: value}
}

// IsUnrepresentable reports whether an error is or wraps an [UnrepresentableError].
func IsUnrepresentable(err error) bool {
	var e *UnrepresentableError
	return errors.As(err, &e)
}

// HideOwn is [Hide] for hand-written API types, whose conversion from storage returned failed. If
// there are hidden values, or failed is an [UnrepresentableError], HideOwn also hides all values
// that dst shows in another form than they are stored: a zero for an absent value, another
// spelling, or none. [Reveal] restores them unless a client edited the visible value. Back
// converts dst to storage again.
func HideOwn[S, T any](dst runtime.Hider, spec *S, status *T, failed error, back func() (*S, *T, error)) error {
	counting.Count(string(runtime.WholeObject))
	if failed != nil && !IsUnrepresentable(failed) || failed == nil && !hidesAny(dst, spec, status) {
		return failed
	}
	visibleSpec, visibleStatus, err := back()
	if err != nil {
		return err
	}
	w := withholder{version: dst.OriginalGVK().Version}
	spec, status = withhold(&w, spec, visibleSpec), withhold(&w, status, visibleStatus)
	preserve.Hide(dst, spec, status)
	if failed != nil {
		runtime.Report(runtime.Event{What: runtime.RawKept, Kind: *dst.OriginalGVK(), Namespace: dst.GetNamespace(), Name: dst.GetName(), Err: failed})
	}
	return w.failed
}

// HideIntegers is [Hide] for generated API types with integers of other sizes than storage has. If
// failed is an [UnrepresentableError], it hides values as [HideOwn] does.
func HideIntegers[S, T any](dst runtime.Hider, spec *S, status *T, failed error, back func() (*S, *T, error)) error {
	if IsUnrepresentable(failed) {
		return HideOwn(dst, spec, status, failed, back)
	}
	Hide(dst, spec, status)
	return failed
}

// hidesAny reports whether a storage object has values that the API type cannot represent.
func hidesAny[S, T any](dst runtime.Hider, spec *S, status *T) bool {
	p := preserve.ProgramOf(dst, reflect.TypeFor[S](), reflect.TypeFor[T]())
	from, state := shape.Address(spec), shape.Address(status)
	return p.IsForeign(from) || hidden.Hides(p.Spec, from) || hidden.Hides(p.Status, state)
}

// substitute is an entry of a property bag: the stored value, and the value that the API type shows
// for it.
type substitute struct {
	Visible runtime.JSON `json:"shown,omitzero"`
	Stored  runtime.JSON `json:"stored,omitzero"`
}

// withholder moves stored values that the API type shows in another form into property bags.
type withholder struct {
	version string
	failed  error
}

func withhold[T any](w *withholder, stored, visible *T) *T {
	if stored == nil || visible == nil {
		return stored
	}
	return w.object(reflect.ValueOf(stored), reflect.ValueOf(visible)).Interface().(*T)
}

// object copies an object. In the copy, fields that the API type shows in another form have the
// visible value, and the bag has the stored one.
func (w *withholder) object(stored, visible reflect.Value) reflect.Value {
	out := reflect.New(stored.Type().Elem())
	out.Elem().Set(stored.Elem())
	s := shape.Of(out.Type().Elem())
	b := runtime.PropertyBag(nil)
	if s.HasBag {
		b = s.BagAt(out.UnsafePointer()).Clone()
	}
	for i := range out.Elem().NumField() {
		name, _, _ := strings.Cut(out.Type().Elem().Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" || name == bag.Name || name == label.OriginalVersion {
			continue
		}
		from, to := stored.Elem().Field(i), visible.Elem().Field(i)
		if value, ok := w.within(from, to); ok {
			out.Elem().Field(i).Set(value)
			continue
		}
		visible, err := codec.EntryOf(to)
		was, err2 := codec.EntryOf(from)
		entry := codec.Entry(&substitute{Visible: jsontext.Present(visible), Stored: jsontext.Present(was)})
		w.failed = FirstError(w.failed, err, err2)
		if b == nil {
			b = runtime.PropertyBag{}
		}
		b[bag.UnrepresentableKey(name, w.version)] = entry
		out.Elem().Field(i).Set(to)
	}
	if s.HasBag {
		*s.BagAt(out.UnsafePointer()) = b
	}
	return out
}

// within returns the value for a field of the copy. It returns stored if the API type shows the
// same JSON. For objects, and for lists and maps of them, it calls object. It returns false if
// the whole value must go to the bag.
func (w *withholder) within(stored, visible reflect.Value) (value reflect.Value, ok bool) {
	if jsontext.IsSame(jsontext.Encode(stored.Interface()), jsontext.Encode(visible.Interface())) {
		return stored, true
	}
	switch t := stored.Type(); {
	case shape.Of(t).Kind == shape.JSON:
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct && !stored.IsNil() && !visible.IsNil():
		return w.object(stored, visible), true
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct && stored.Len() == visible.Len():
		out := reflect.MakeSlice(t, stored.Len(), stored.Len())
		for i := range stored.Len() {
			out.Index(i).Set(w.object(stored.Index(i).Addr(), visible.Index(i).Addr()).Elem())
		}
		return out, true
	case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Struct && stored.Len() == visible.Len():
		return w.dict(stored, visible), true
	}
	return value, false
}

func (w *withholder) dict(stored, visible reflect.Value) reflect.Value {
	out := reflect.MakeMapWithSize(stored.Type(), stored.Len())
	for entries := stored.MapRange(); entries.Next(); {
		from, to := reflect.New(stored.Type().Elem()), reflect.New(stored.Type().Elem())
		from.Elem().Set(entries.Value())
		if other := visible.MapIndex(entries.Key()); other.IsValid() {
			to.Elem().Set(other)
		}
		out.SetMapIndex(entries.Key(), w.object(from, to).Elem())
	}
	return out
}

// Reveal is [HideOwn] in the other direction: it restores in a storage object the values that
// src's Go type could not represent, unless a client edited the visible value. Spec and status
// are pointers to the storage types of src's version, and may be nil.
func Reveal(src runtime.Hider, spec, status any) {
	b := src.StatusBag()
	if b == nil || !strings.Contains(*b, bag.UnrepresentableSuffix) {
		return
	}
	for _, part := range []any{spec, status} {
		if v := reflect.ValueOf(part); v.Kind() == reflect.Pointer && !v.IsNil() {
			reveal(v.Elem())
		}
	}
}

// reveal restores entries in all objects within a value. The value must be settable.
func reveal(v reflect.Value) {
	switch {
	case shape.Of(v.Type()).Kind == shape.JSON:
	case v.Kind() == reflect.Pointer && !v.IsNil():
		reveal(v.Elem())
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			reveal(v.Index(i))
		}
	case v.Kind() == reflect.Map && v.Type().Elem().Kind() == reflect.Struct:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			reveal(value)
			v.SetMapIndex(key, value)
		}
	case v.Kind() == reflect.Struct:
		revealIn(v)
	}
}

func revealIn(object reflect.Value) {
	s := shape.Of(object.Type())
	for i := range object.NumField() {
		if f := object.Field(i); f.CanSet() && object.Type().Field(i).Type != reflect.TypeFor[runtime.PropertyBag]() {
			reveal(f)
		}
	}
	if !s.HasBag {
		return
	}
	b := s.BagAt(object.Addr().UnsafePointer())
	for _, key := range bag.SortedKeys(*b) {
		name, isSubstitute := bag.ReadUnrepresentable(key)
		if !isSubstitute {
			continue
		}
		entry := (*b)[key]
		if delete(*b, key); len(*b) == 0 {
			*b = nil
		}
		if f := s.Member(name); f != nil {
			revealField(f, reflect.NewAt(f.Shape.Type, unsafe.Add(object.Addr().UnsafePointer(), f.Offset)), entry)
		}
	}
}

// revealField sets the field to the stored value, if the field still has the value that was
// visible.
func revealField(f *shape.Field, at reflect.Value, entry runtime.JSON) {
	var h substitute
	if kjson.UnmarshalCaseSensitivePreserveInts(entry, &h) != nil || !jsontext.IsSame(jsontext.Encode(at.Elem().Interface()), h.Visible) {
		return
	}
	read := reflect.New(f.Shape.Type)
	if h.Stored == nil || kjson.UnmarshalCaseSensitivePreserveInts(h.Stored, read.Interface()) == nil {
		at.Elem().Set(read.Elem())
	}
}
