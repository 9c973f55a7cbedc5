package genruntime

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/declared"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Moved describes a property that another object has on the other side of a step. ID identifies
// it in bags. To converts its value from the far side to the near side, and From is the inverse.
type Moved = declared.Moved

// MovedEnd is where the property of a [Moved] is on one side, and where a bag of the other side has
// its value.
type MovedEnd = declared.MovedEnd

// MoveTo converts properties that move to other objects, as [DeclareTo] does within one object.
// Generated code calls it after it converted all members of far. Package declared has the rules.
func MoveTo[F, N any](far *F, near *N, all ...*Moved) error {
	return declared.MoveTo(at(far, ""), at(near, "AssignTo "), all...)
}

// MoveFrom is [MoveTo] in the other direction.
func MoveFrom[F, N any](far *F, near *N, all ...*Moved) error {
	return declared.MoveFrom(at(far, "AssignFrom "), at(near, ""), all...)
}

// goObject is a Go value as a [declared.Object]. Step begins the name of the step in errors.
type goObject struct {
	located
	step string
}

func at[T any](of *T, step string) goObject {
	return goObject{located{shape.Of(reflect.TypeFor[T]()), unsafe.Pointer(of)}, step}
}

// split returns the path of the object around a value, and the value's name in it.
func split(path []string) (parents []string, name string) {
	return path[:len(path)-1], path[len(path)-1]
}

// find returns the value at a path, which may be absent.
func (o goObject) find(path []string) located {
	parents, name := split(path)
	return o.within(parents, false).member(name)
}

// Value returns the JSON of the value at a path.
func (o goObject) Value(path []string) runtime.JSON { return o.find(path).json() }

// Set sets the value at a path, and creates the objects around it.
func (o goObject) Set(path []string, value runtime.JSON) error {
	parents, name := split(path)
	f := o.within(parents, true).member(name)
	made := reflect.New(f.shape.Type)
	if err := kjson.UnmarshalCaseSensitivePreserveInts(value, made.Interface()); err != nil {
		o.Remove(path)
		return &runtime.AugmentationError{Step: o.step + strings.Join(path, "."), Type: made.Type().String(), Err: fmt.Errorf("a declared change: %w", err)}
	}
	f.value().Set(made.Elem())
	return nil
}

// Remove removes the value at a path.
func (o goObject) Remove(path []string) {
	if f := o.find(path); f.at != nil {
		f.value().SetZero()
	}
}

// Has reports whether there is an object at a path.
func (o goObject) Has(path []string) bool { return o.within(path, false).at != nil }

// IsEmpty reports whether there is an object at a path that has no member and no bag.
func (o goObject) IsEmpty(path []string) bool {
	in := o.within(path, false)
	return in.at != nil && in.value().IsZero()
}

// Bag returns the property bag of the object at a path.
func (o goObject) Bag(path []string) *runtime.PropertyBag {
	in := o.within(path, false)
	if in.at == nil || !in.shape.HasBag {
		return nil
	}
	return in.shape.BagAt(in.at)
}

// located is a value in memory. Its address is nil if it is absent.
type located struct {
	shape *shape.Shape
	at    unsafe.Pointer
}

// member returns a member of an object, which is absent if the object is. The type must have it.
func (o located) member(name string) located {
	f := o.shape.Member(name)
	if f == nil {
		return located{}
	}
	if o.at == nil {
		return located{f.Shape, nil}
	}
	return located{f.Shape, unsafe.Add(o.at, f.Offset)}
}

// within follows a path of objects. With create, it creates those that are absent.
func (o located) within(path []string, create bool) located {
	for _, name := range path {
		o = o.member(name)
		if create && o.at != nil && *(*unsafe.Pointer)(o.at) == nil {
			o.value().Set(reflect.New(o.shape.Type.Elem()))
		}
		o.shape, o.at = o.shape.Reach(o.at)
		o.shape = o.shape.Object()
	}
	return o
}

// value returns a value as Go's reflection does. The object must be present.
func (o located) value() reflect.Value { return reflect.NewAt(o.shape.Type, o.at).Elem() }

// json returns the JSON of a value; nil if it is absent.
func (o located) json() runtime.JSON {
	if o.at == nil || o.shape.IsAbsent(o.at) {
		return nil
	}
	data, err := codec.EntryIn(o.shape, o.at)
	if err != nil {
		return nil
	}
	return jsontext.Present(data)
}
