package convert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/shape"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// Decode reads a root, a pointer to an API or storage type, from JSON. Names must match exactly.
//
// A value of the wrong type is no error. Decode stores it for its own version only, under the key
// name@version!raw, where version is the label of the API version. In storage types it goes to
// the property bag of the nearest object that has one. In API types it goes to
// status.propertyBag, from which [genruntime.Restore] moves it to the same position in the
// storage object. If elements of a list, or values of a map, should be objects and are not,
// Decode stores them together. Their key is name@version!elements!raw in the bag of the object
// that has the list. Other versions have the list without them. Decode reports these values to
// the [runtime.Observer].
//
// A member that a storage type lacks is stored in the same way, under name@version, followed by
// storage!raw. [Encode] restores it if the object is stored in that version again. Decode drops
// unknown members of API types.
//
// A null is an absent value, except as an element of a list, where it is of the wrong type. Text
// that is not JSON, and metadata of the wrong type, are errors. The time of Decode is linear in
// the length of the JSON.
func Decode(data []byte, into any) error { return decode(nil, data, into) }

// DecodeContext is [Decode], but returns the error of ctx once ctx is done.
func DecodeContext(ctx context.Context, data []byte, into any) error {
	return decode(watch.New(ctx), data, into)
}

func decode(w *watch.Watch, data []byte, into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("decode into %T: not a pointer to a root", into)
	}
	s := shape.Of(v.Type().Elem())
	if s.Kind != shape.Object || s.Foreign || !jsontext.IsValidUntil(w, data) || (&jsontext.Cursor{Data: data}).Peek() != '{' {
		if w.Failed() {
			return fmt.Errorf("decode %T: %w", into, w.Err)
		}
		return decodeAs(data, into)
	}
	whole := data
	if _, atRoot := into.(shape.Rooted); atRoot {
		data, _ = jsontext.GatherSpec(data)
	}
	v.Elem().SetZero()
	d := newDecoder(w, data, into)
	defer d.done()
	if !d.root(s, v.UnsafePointer()) || w.Failed() {
		if w.Failed() {
			return fmt.Errorf("decode %T: %w", into, w.Err)
		}
		v.Elem().SetZero()
		return decodeAs(whole, into)
	}
	d.finish(into)
	return nil
}

func decodeAs(data []byte, into any) error {
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, into); err != nil {
		return fmt.Errorf("decode %T: %w", into, err)
	}
	return nil
}

// decoder reads a root, and removes values of the wrong type from it.
type decoder struct {
	codec.Reader
	taken codec.Misfits
	kind  schema.GroupVersionKind
	// hadStatus reports whether the JSON has a status that is not null.
	hadStatus bool
}

func newDecoder(w *watch.Watch, data []byte, into any) *decoder {
	d := decoders.Get().(*decoder)
	*d = decoder{Reader: codec.Reader{Cursor: jsontext.Cursor{Data: data}, Watch: w}, taken: codec.Misfits{Frames: d.taken.Frames}}
	if root, ok := into.(runtime.Hider); ok {
		d.kind = *root.OriginalGVK()
		d.taken.Owns = isOwn
	} else {
		d.taken.InBags, d.taken.Owns = true, func(s *shape.Shape) bool { return s.HasBag }
	}
	d.taken.Label = func() string {
		if d.kind.Version == "" {
			d.kind = kindIn(data)
		}
		return d.kind.Version
	}
	return d
}

// decoders reuses decoders for their frames.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

// done returns the decoder to the pool, without references to the object.
func (d *decoder) done() {
	*d = decoder{taken: codec.Misfits{Frames: d.taken.Frames.Forget()}}
	decoders.Put(d)
}

// isOwn reports whether a type of an API version has a storage type with a bag. All types have
// one, except those of Kubernetes and the members that Strata adds, such as [runtime.SecretRef],
// which are the same in storage.
func isOwn(s *shape.Shape) bool {
	pkg := s.Type.PkgPath()
	return pkg != ofStrata && !strings.HasPrefix(pkg, "k8s.io/")
}

// ofStrata is the package of the members that Strata adds.
var ofStrata = reflect.TypeFor[runtime.Owner]().PkgPath()

// kindIn reads the group, version and kind of a storage object. The version is the API version of
// the storage version.
func kindIn(object []byte) schema.GroupVersionKind {
	text := func(name string) string {
		value := jsontext.Cursor{Data: jsontext.MemberOf(object, name)}
		text, _ := value.Text()
		return text
	}
	kind := schema.FromAPIVersionAndKind(text("apiVersion"), text("kind"))
	kind.Version = strings.TrimSuffix(kind.Version, label.StorageSuffix)
	return kind
}

// root reads a root. It reports false if a value outside spec and status has the wrong type.
func (d *decoder) root(s *shape.Shape, p unsafe.Pointer) bool {
	m := shape.MemberSet{Of: s}
	for d.Take('{'); d.More('}'); {
		name := d.Name()
		f, again := m.Find(name)
		switch {
		case f == nil:
			d.Raw()
		case f.Name == "spec" || f.Name == "status":
			if !d.section(f, unsafe.Add(p, f.Offset), again) {
				return false
			}
		case !d.Value(f.Shape, unsafe.Add(p, f.Offset)):
			return false
		}
	}
	return true
}

// section reads the spec or the status.
func (d *decoder) section(f *shape.Field, p unsafe.Pointer, again bool) bool {
	if again {
		reflect.NewAt(f.Shape.Type, p).Elem().SetZero()
	}
	isNull := d.Peek() == 'n'
	d.hadStatus = d.hadStatus || f.Name == "status" && !isNull
	d.Misfits = &d.taken
	defer func() { d.Misfits = nil }()
	start, mark := d.At, d.taken.Mark()
	d.taken.Enter(codec.SectionFrame, f.Name, 0, 0)
	defer d.taken.Leave()
	if d.Value(f.Shape, p) {
		return true
	}
	object := f.Shape.Object()
	if object == nil || !d.taken.Owns(object) || d.Watch.Failed() {
		return false
	}
	d.taken.Reset(mark)
	d.taken.Enter(codec.SectionFrame, f.Name, 0, 0)
	reflect.NewAt(f.Shape.Type, p).Elem().SetZero()
	d.At = start
	d.blank(f.Shape, p)
	return true
}

// blank makes a blank object whose bag stores the current value, which is no object.
func (d *decoder) blank(s *shape.Shape, p unsafe.Pointer) {
	for s.Kind == shape.Pointer {
		to := reflect.New(s.Elem.Type).UnsafePointer()
		*(*unsafe.Pointer)(p) = to
		s, p = s.Elem, to
	}
	d.taken.Enter(codec.ObjectFrame, "", 0, 0)
	d.taken.KeepWhole(s, p, d.Raw())
	d.taken.Leave()
}

// finish adds the removed values to the status bag, and reports them to the observer.
func (d *decoder) finish(into any) {
	if root, ok := into.(runtime.Hider); ok {
		d.intoStatus(root)
		if d.taken.HadBag {
			runtime.Report(runtime.Event{What: runtime.BagDropped, Kind: d.kind, Namespace: root.GetNamespace(), Name: root.GetName(), Path: bag.StatusPath, Err: errWrongType})
		}
	}
	event := runtime.Event{What: runtime.RawKept, Kind: d.kind, Err: errWrongType}
	if object, ok := into.(metav1.Object); ok {
		event.Namespace, event.Name = object.GetNamespace(), object.GetName()
	}
	for i := range d.taken.Count {
		if event.Path = ""; i < len(d.taken.Paths) {
			event.Path = d.taken.Paths[i]
		}
		runtime.Report(event)
	}
}

var errWrongType = errors.New("the value is of the wrong type, or its storage type lacks the member")

// intoStatus adds the removed values to the bag of a root. It replaces a bag that cannot be read.
func (d *decoder) intoStatus(root runtime.Hider) {
	if len(d.taken.Nodes) == 0 {
		return
	}
	var out []byte
	if bag := root.StatusBag(); bag != nil {
		if _, err := hidden.Read(*bag); err == nil {
			out = bytes.TrimRight([]byte(*bag), " \t\r\n")
			out = out[:len(out)-1]
		}
	}
	if out == nil {
		out = (&hidden.Header{NoStatus: !d.hadStatus}).Append(nil)
	}
	out = append(append(append(out, `,"raw":`...), d.taken.Nodes...), "}}"...)
	root.SetStatusBag(new(string(out)))
}
