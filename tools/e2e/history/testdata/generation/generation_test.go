package proofs

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/conversion"
	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime/conformance"
)

// generation is the code that one run of the generator made for a resource type.
type generation struct {
	name, because, hub string
	hides              bool        // whether API versions carry what they cannot show
	gains              bool        // whether statuses may show more than they did
	renames            [][2]string // properties that metadata says are one
	derived            []string    // properties that hand-written steps derive from one another
	versions           []version
	storages           []storage
}

// version is an API type. Its conversions are method expressions.
type version struct {
	label, source                  string
	draw                           func(t *testing.T, keep func(api any))
	to, from, toStorage, fromStore any
}

// storage is a storage type. Its steps are functions, or nil at the hub.
type storage struct {
	label    string
	empty    any // a nil pointer
	next     string
	up, down any
}

// draw returns what hands over objects as the generated proofs draw them.
func draw[A any](resource, label string) func(t *testing.T, keep func(api any)) {
	return func(t *testing.T, keep func(api any)) {
		t.Run("draw", func(t *testing.T) {
			spoke := conformance.Version(label, func(a, h *A) error {
				keep(a)
				*h = *a
				return nil
			}, func(a, h *A) error {
				*a = *h
				return nil
			})
			conformance.Run(t, conformance.Resource(resource, spoke))
		})
	}
}

// call calls a conversion.
func call(conversion, receiver, argument any) error {
	result := reflect.ValueOf(conversion).Call([]reflect.Value{reflect.ValueOf(receiver), reflect.ValueOf(argument)})
	err, _ := result[0].Interface().(error)
	return err
}

// receiver returns a new object that the conversion is a method of.
func receiver(conversion any) any {
	return reflect.New(reflect.TypeOf(conversion).In(0).Elem()).Interface()
}

func (s storage) object() any { return reflect.New(reflect.TypeOf(s.empty).Elem()).Interface() }

func (g generation) version(label string) version {
	for _, v := range g.versions {
		if v.label == label {
			return v
		}
	}
	panic("no API version " + label + " in " + g.name)
}

func (g generation) storage(label string) storage {
	for _, s := range g.storages {
		if s.label == label {
			return s
		}
	}
	panic("no storage type " + label + " in " + g.name)
}

// load reads what is stored in any hub there has been, and takes it to the hub of this generation.
func (g generation) load(stored []byte) (hub any, err error) {
	var head struct{ APIVersion string }
	if err := json.Unmarshal(stored, &head); err != nil {
		return nil, err
	}
	_, label, _ := strings.Cut(head.APIVersion, "/")
	s := g.storage(strings.TrimSuffix(label, "storage"))
	hub = s.object()
	if err := decode(stored, hub); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.label, err)
	}
	path, err := g.path(s.label, hub)
	if err != nil {
		return nil, err
	}
	stepped := path[len(path)-1].object
	return stepped, g.atOnce(hub, stepped)
}

// atOnce demands that the conversion of a former hub that serves stored objects does what the steps do.
func (g generation) atOnce(stored, stepped any) error {
	former, ok := stored.(conversion.Convertible)
	if !ok {
		return nil
	}
	hub := g.storage(g.hub).object()
	if err := former.ConvertTo(hub.(conversion.Hub)); err != nil {
		return fmt.Errorf("at once to the hub: %w", err)
	}
	if d := difference(text(hub), text(stepped)); d != "" {
		return fmt.Errorf("at once to the hub is not as step by step: %s", d)
	}
	return nil
}

// place is an object in the form of a storage type.
type place struct {
	storage
	object any
}

// path takes an object of a storage type step by step to the hub, and returns it in all forms on the way.
func (g generation) path(label string, object any) ([]place, error) {
	s := g.storage(label)
	path := []place{{s, object}}
	for s.next != "" {
		next := g.storage(s.next)
		converted := next.object()
		if err := call(s.up, object, converted); err != nil {
			return nil, fmt.Errorf("from %s to %s: %w", s.label, next.label, err)
		}
		s, object = next, converted
		path = append(path, place{s, object})
	}
	return path, nil
}

// descend takes the hub's object step by step to a storage type, and returns it in all forms on the way.
func (g generation) descend(label string, hub any) ([]place, error) {
	s := g.storage(label)
	if s.next == "" {
		return []place{{s, hub}}, nil
	}
	path, err := g.descend(s.next, hub)
	if err != nil {
		return nil, err
	}
	object := s.object()
	if err := call(s.down, path[len(path)-1].object, object); err != nil {
		return nil, fmt.Errorf("from %s to %s: %w", s.next, s.label, err)
	}
	return append(path, place{s, object}), nil
}

// write makes of an object of an API version, in JSON, what is stored.
func (g generation) write(label string, api []byte) ([]byte, error) {
	v := g.version(label)
	object := receiver(v.to)
	if err := decode(api, object); err != nil {
		return nil, fmt.Errorf("read %s: %w", label, err)
	}
	return g.store(label, object)
}

// store makes of an object of an API version what is stored.
func (g generation) store(label string, api any) ([]byte, error) {
	hub := g.storage(g.hub).object()
	if err := call(g.version(label).to, api, hub); err != nil {
		return nil, fmt.Errorf("from %s to the hub: %w", label, err)
	}
	return asStored(hub)
}

// asStored returns the JSON of an object as an API server sends it: with sorted members.
func asStored(hub any) ([]byte, error) {
	data, err := json.Marshal(hub)
	if err != nil {
		return nil, err
	}
	return text(tree(data)), nil
}

// show makes of the hub's object what an API version reads, in JSON.
func (g generation) show(hub any, label string) ([]byte, error) {
	v := g.version(label)
	api := receiver(v.from)
	if err := call(v.from, api, hub); err != nil {
		return nil, fmt.Errorf("from the hub to %s: %w", label, err)
	}
	return json.Marshal(api)
}

// read makes of what is stored what an API version reads.
func (g generation) read(stored []byte, label string) ([]byte, error) {
	hub, err := g.load(stored)
	if err != nil {
		return nil, err
	}
	return g.show(hub, label)
}

// migrate rewrites what is stored in the hub's version.
func (g generation) migrate(stored []byte) ([]byte, error) {
	hub, err := g.load(stored)
	if err != nil {
		return nil, err
	}
	return asStored(hub)
}

// passed is what is stored after a client of an API version has written back what it read.
func (g generation) passed(stored []byte, label string) ([]byte, error) {
	api, err := g.read(stored, label)
	if err != nil {
		return nil, err
	}
	return g.write(label, api)
}

// decode decodes JSON as an API server does: by the exact names.
func decode(data []byte, into any) error {
	return kjson.UnmarshalCaseSensitivePreserveInts(data, into)
}
