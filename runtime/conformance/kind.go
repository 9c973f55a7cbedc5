package conformance

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// Versions is a kind in all its versions: those that users write with their conversions, and the
// chain of storage types that leads from each to the hub.
type Versions struct {
	resource  string
	versions  []KindVersion
	augmented []augmentation
	own       bool // the author wrote the API types
	json      func(version string, up bool, object []byte) ([]byte, bool)
}

// KindVersion is one version of a kind.
type KindVersion struct {
	label      string
	api, store reflect.Type // of structs; api is nil where users can no longer write the version
	next       reflect.Type // the storage type one step nearer to the hub; nil at the hub
	storeCopy  func(in, out unsafe.Pointer)

	toStorage, fromStorage func(api, store any) error
	convertTo, convertFrom func(api, hub any) error
	stepTo, stepFrom       func(from, to any) error
	forgives               func(error) bool // nil forgives nothing
}

type augmentation struct {
	label string
	paths []string
	inBag bool // the version has the properties in its bags only
}

// Kind returns a resource, as in Microsoft.Batch/batchAccounts, with all its versions in their
// order. Exactly one is the [Hub], and every other one's neighbour is among them.
func Kind(resource string, versions ...KindVersion) Versions {
	return Versions{resource: resource, versions: versions}
}

// converting is an API root, a pointer, with its own storage root S and the interface I by which it
// knows the hub.
type converting[S, I any] interface {
	ConvertTo(hub I) error
	ConvertFrom(hub I) error
	ConvertToStorage(dst *S) error
	ConvertFromStorage(src *S) error
}

// Root is a version with the steps between its storage type and the neighbour nearer to the hub.
// Both steps take their source first.
func Root[P converting[S, I], S, N, I any](label string, to func(src *S, dst *N) error, from func(src *N, dst *S) error) KindVersion {
	return written[P, S, I](label).stored(steps(to, from))
}

// Hub is the version whose storage type is the hub.
func Hub[P converting[S, I], S, I any](label string) KindVersion { return written[P, S, I](label) }

// Stored is a version that users no longer write, of which the storage type is left.
func Stored[S, N any](label string, to func(src *S, dst *N) error, from func(src *N, dst *S) error) KindVersion {
	v := KindVersion{label: label, store: reflect.TypeFor[S](), storeCopy: newSide[S]().copy}
	return v.stored(steps(to, from))
}

func written[P converting[S, I], S, I any](label string) KindVersion {
	return KindVersion{
		label:       label,
		api:         reflect.TypeFor[P]().Elem(),
		store:       reflect.TypeFor[S](),
		storeCopy:   newSide[S]().copy,
		toStorage:   func(a, s any) error { return a.(P).ConvertToStorage(s.(*S)) },
		fromStorage: func(a, s any) error { return a.(P).ConvertFromStorage(s.(*S)) },
		convertTo:   func(a, h any) error { return a.(P).ConvertTo(h.(I)) },
		convertFrom: func(a, h any) error { return a.(P).ConvertFrom(h.(I)) },
	}
}

// step is a pair of conversions between two storage types.
type step struct {
	next     reflect.Type
	to, from func(src, dst any) error
}

func steps[S, N any](to func(src *S, dst *N) error, from func(src *N, dst *S) error) step {
	return step{
		next: reflect.TypeFor[N](),
		to:   func(s, n any) error { return to(s.(*S), n.(*N)) },
		from: func(n, s any) error { return from(n.(*N), s.(*S)) },
	}
}

func (v KindVersion) stored(s step) KindVersion {
	v.next, v.stepTo, v.stepFrom = s.next, s.to, s.from
	return v
}

// Augmented returns the kind with the places at which hand-written steps of a version change
// values: JSON paths in that version's names, as in spec.properties.phones[]. What users edit
// there, in that version or one further from the hub, may change what the step derives from it.
func (k Versions) Augmented(label string, paths ...string) Versions {
	return k.augmentedBy(augmentation{label: label, paths: paths})
}

// AugmentedInBag is [Versions.Augmented] for properties that a version has in its bags only. The
// paths have the names of the version where the properties return. What users edit there, in a
// version further from the hub, may change what the step derives from it.
func (k Versions) AugmentedInBag(label string, paths ...string) Versions {
	return k.augmentedBy(augmentation{label: label, paths: paths, inBag: true})
}

func (k Versions) augmentedBy(a augmentation) Versions {
	k.augmented = append(k.augmented[:len(k.augmented):len(k.augmented)], a)
	return k
}

// Forgiving returns the kind with conversions whose errors are none where forgives says so: they
// have filled what they convert to all the same, as those do that return a
// runtime.AugmentationError.
func (k Versions) Forgiving(forgives func(error) bool) Versions {
	forgiven := func(convert func(a, b any) error) func(a, b any) error {
		if convert == nil {
			return nil
		}
		return func(a, b any) error {
			if err := convert(a, b); err != nil && !forgives(err) {
				return err
			}
			return nil
		}
	}
	k.versions = slices.Clone(k.versions)
	for i := range k.versions {
		v := &k.versions[i]
		for _, convert := range []*func(a, b any) error{&v.toStorage, &v.fromStorage, &v.convertTo, &v.convertFrom, &v.stepTo, &v.stepFrom} {
			*convert = forgiven(*convert)
		}
		v.forgives = forgives
	}
	return k
}

// JSON returns the kind with a conversion of objects' JSON, from the API version of a label to the
// hub, up, or from the hub to it. What it does not refuse must be what the other conversions make.
func (k Versions) JSON(convert func(version string, up bool, object []byte) ([]byte, bool)) Versions {
	k.json = convert
	return k
}

// hub returns the version without a neighbour nearer to the hub.
func (k Versions) hub() (KindVersion, error) {
	var found []KindVersion
	for _, v := range k.versions {
		if v.next == nil {
			found = append(found, v)
		}
	}
	if len(found) != 1 {
		return KindVersion{}, fmt.Errorf("%s has %d hubs", k.resource, len(found))
	}
	return found[0], nil
}

// spokes are the parts of the kind that are proved alone: every API type with the hub, every
// storage type with its neighbour, and the hub's storage type.
func (k Versions) spokes() ([]Spoke, error) {
	hub, err := k.hub()
	if err != nil {
		return nil, err
	}
	var spokes []Spoke
	for _, v := range k.versions {
		if v.api != nil {
			spokes = append(spokes, v.spoke(k, hub))
		}
	}
	for _, v := range k.versions {
		spokes = append(spokes, v.storage(k))
	}
	return spokes, nil
}

func (v KindVersion) spoke(k Versions, hub KindVersion) Spoke {
	return Spoke{
		label:   v.label,
		apiSide: side{of: v.api, copy: copyByReflection(v.api)},
		hubSide: side{of: hub.store, copy: hub.storeCopy},
		up:      func(a, h unsafe.Pointer) error { return v.convertTo(at(v.api, a), at(hub.store, h)) },
		down:    func(a, h unsafe.Pointer) error { return v.convertFrom(at(v.api, a), at(hub.store, h)) },
		ignored: v.ignored(),
		decode:  json.Unmarshal,
		viaJSON: k.own,
		retyped: k.retyped(),
	}
}

// ignored are the fields of the API type that conversions need not keep: the bag, where the status
// has it.
func (v KindVersion) ignored() []string {
	status, ok := v.api.FieldByName("Status")
	if !ok {
		return nil
	}
	of := status.Type
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() == reflect.Struct {
		if _, ok := of.FieldByName("PropertyBag"); ok {
			return []string{statusBag}
		}
	}
	return nil
}

// storage is a storage type with its step. A hand-written step derives values from an object that
// no version wrote: there the type is proved alone.
func (v KindVersion) storage(k Versions) Spoke {
	s := Spoke{label: v.label + "storage", apiSide: side{of: v.store, copy: v.storeCopy}, decode: json.Unmarshal}
	if v.next == nil || k.isAugmented(v.label) {
		return s
	}
	s.hubSide = side{of: v.next}
	for _, other := range k.versions {
		if other.store == v.next {
			s.hubSide.copy = other.storeCopy
		}
	}
	s.up = func(a, n unsafe.Pointer) error { return v.stepTo(at(v.store, a), at(v.next, n)) }
	s.down = func(a, n unsafe.Pointer) error { return v.stepFrom(at(v.next, n), at(v.store, a)) }
	return s
}

// copyByReflection returns the DeepCopyInto of a type, nil if it has none.
func copyByReflection(of reflect.Type) func(in, out unsafe.Pointer) {
	method, ok := reflect.PointerTo(of).MethodByName("DeepCopyInto")
	if !ok || method.Type.NumIn() != 2 || method.Type.In(1) != reflect.PointerTo(of) {
		return nil
	}
	return func(in, out unsafe.Pointer) {
		method.Func.Call([]reflect.Value{reflect.NewAt(of, in), reflect.NewAt(of, out)})
	}
}

// Own returns the kind whose API types the author wrote. Their objects are proved as they are once
// they were written and read as JSON, and absent, empty and zero values are the same where other
// versions have read and written them: not all Go types can tell these apart.
func (k Versions) Own() Versions {
	k.own = true
	return k
}

func (k Versions) isAugmented(label string) bool {
	for _, a := range k.augmented {
		if a.label == label {
			return true
		}
	}
	return false
}

// retyped compares the API types of all versions, and the storage types of those that have no
// other.
func (k Versions) retyped() retyped {
	r := retyped{}
	var versions []map[string]map[string]string
	for _, v := range k.versions {
		of := v.api
		if of == nil {
			of = v.store
		}
		types := map[string]map[string]string{}
		spellTypes(types, of)
		versions = append(versions, types)
	}
	for _, one := range versions {
		for _, other := range versions {
			r.compare(one, other)
		}
	}
	return r
}
