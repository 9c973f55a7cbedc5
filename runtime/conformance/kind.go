package conformance

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// Versions has all versions of a kind: those that users write, with their conversions, and the
// chain of storage types from each to the hub.
type Versions struct {
	resource  string
	versions  []KindVersion
	augmented []augmentation
	own       bool // means that the author wrote the API types
	refused   *refusals
	narrow    bool // means that generated API types have smaller integers than storage
	json      func(version string, up bool, object []byte) ([]byte, bool)
}

// KindVersion is one version of a kind.
type KindVersion struct {
	label      string
	api, store reflect.Type // of structs; api is nil if users can no longer write the version
	next       reflect.Type // the storage type one step nearer to the hub; nil at the hub
	storeCopy  func(in, out unsafe.Pointer)

	toStorage, fromStorage func(api, store any) error
	convertTo, convertFrom func(api, hub any) error
	stepTo, stepFrom       func(from, to any) error
	forgives               func(error) bool // reports that an error counts as success; nil for none
}

type augmentation struct {
	label string
	paths []string
	inBag bool // the version has the properties only in its bags
}

// Kind returns a resource, as in Microsoft.Batch/batchAccounts, with all its versions in order.
// Exactly one must be the [Hub]. The neighbours of all others must be among them.
func Kind(resource string, versions ...KindVersion) Versions {
	return Versions{resource: resource, versions: versions}
}

// converting is a pointer to an API root, with its own storage root S and the interface type I of
// the hub.
type converting[S, I any] interface {
	ConvertTo(hub I) error
	ConvertFrom(hub I) error
	ConvertToStorage(dst *S) error
	ConvertFromStorage(src *S) error
}

// Root returns a version with the steps between its storage type and the neighbour nearer to the
// hub. Both steps take their source first.
func Root[P converting[S, I], S, N, I any](label string, to func(src *S, dst *N) error, from func(src *N, dst *S) error) KindVersion {
	return written[P, S, I](label).stored(steps(to, from))
}

// Hub returns the version whose storage type is the hub.
func Hub[P converting[S, I], S, I any](label string) KindVersion { return written[P, S, I](label) }

// Stored returns a version that users no longer write, and that only has a storage type.
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

// Augmented returns the kind with the paths at which hand-written steps of a version change
// values. They are JSON paths in that version, as in spec.properties.phones[]. An edit there,
// through that version or one further from the hub, may change derived values.
func (k Versions) Augmented(label string, paths ...string) Versions {
	return k.augmentedBy(augmentation{label: label, paths: paths})
}

// AugmentedInBag is [Versions.Augmented] for properties that a version has only in its bags. The
// paths are those of the version in which the properties return. An edit there, through a version
// further from the hub, may change derived values.
func (k Versions) AugmentedInBag(label string, paths ...string) Versions {
	return k.augmentedBy(augmentation{label: label, paths: paths, inBag: true})
}

func (k Versions) augmentedBy(a augmentation) Versions {
	k.augmented = append(k.augmented[:len(k.augmented):len(k.augmented)], a)
	return k
}

// Forgiving returns the kind with conversions whose errors are ignored if forgives returns true.
// Such a conversion must have filled its destination, like one that returns a
// runtime.AugmentationError.
func (k Versions) Forgiving(forgives func(error) bool) Versions {
	if k.refused == nil {
		k.refused = &refusals{}
	}
	refused := k.refused
	forgiven := func(convert func(a, b any) error) func(a, b any) error {
		if convert == nil {
			return nil
		}
		return func(a, b any) error {
			err := convert(a, b)
			if err == nil || !forgives(err) {
				return err
			}
			refused.n++
			return nil
		}
	}
	k.versions = slices.Clone(k.versions)
	for i := range k.versions {
		v := &k.versions[i]
		for _, convert := range []*func(a, b any) error{&v.toStorage, &v.fromStorage, &v.convertTo, &v.convertFrom, &v.stepTo, &v.stepFrom} {
			*convert = forgiven(*convert)
		}
		v.forgives = either(v.forgives, forgives)
	}
	return k
}

// either returns a function that reports whether one of two does; a may be nil.
func either(a, b func(error) bool) func(error) bool {
	if a == nil {
		return b
	}
	return func(err error) bool { return a(err) || b(err) }
}

// JSON returns the kind with a conversion of the JSON of objects. It converts from the API
// version with a label to the hub if up is set, else from the hub to the version. If it does not
// refuse an object, its result must equal that of the other conversions.
func (k Versions) JSON(convert func(version string, up bool, object []byte) ([]byte, bool)) Versions {
	k.json = convert
	return k
}

// hub returns the only version without a neighbour nearer to the hub.
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

// spokes returns the parts of the kind that are tested alone: every API type with the hub, every
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

// ignored returns the fields of the API type that conversions need not preserve: the bag in the
// status, if there is one.
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

// storage returns the spoke of a storage type with its step. A hand-written step may derive
// values from an object that no version wrote; such a type is tested without the step.
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

// copyByReflection returns the DeepCopyInto of a type, and nil if it has none.
func copyByReflection(of reflect.Type) func(in, out unsafe.Pointer) {
	method, ok := reflect.PointerTo(of).MethodByName("DeepCopyInto")
	if !ok || method.Type.NumIn() != 2 || method.Type.In(1) != reflect.PointerTo(of) {
		return nil
	}
	return func(in, out unsafe.Pointer) {
		method.Func.Call([]reflect.Value{reflect.NewAt(of, in), reflect.NewAt(of, out)})
	}
}

// Own returns the kind for API types that the author wrote. Their objects are tested after they
// were written and read as JSON. After another version has read and written them, absent, empty
// and zero values count as equal, because some Go types cannot distinguish them.
func (k Versions) Own() Versions {
	k.own = true
	return k
}

// Narrow returns the kind for generated API types with integers that are smaller than those of
// other versions. A version shows zero for an integer that it cannot represent, and restores the
// stored one. The conversion of a spec or status alone then returns an error for which
// unrepresentable returns true.
func (k Versions) Narrow(unrepresentable func(error) bool) Versions {
	k = k.Forgiving(unrepresentable)
	k.narrow = true
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

// retyped compares the API types of all versions, and the storage types of versions without an
// API type.
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
