package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OfObject is the label of a Secret with outputs. Its value is the UID of the object that they
// belong to. ConfigOfObject is that of a ConfigMap.
const (
	OfObject       = "strata.dev/secret-of"
	ConfigOfObject = "strata.dev/config-of"
)

// secretKeysOf is the annotation of such a Secret that lists the keys which the operator has
// written. It is a JSON object with the path of each key. Other keys belong to other clients.
// configKeysOf is that of ConfigMaps.
const (
	secretKeysOf = "strata.dev/secret-keys"
	configKeysOf = "strata.dev/config-keys"
)

// IsCall reports whether a path calls an action of the external API, such as listKeys().key1. The
// status does not contain its value.
func IsCall(path string) bool { return strings.Contains(path, "()") }

// Outputs are values that the external API gives out: their paths, by the name of the Secret or the
// ConfigMap and the key in it.
type Outputs map[string]map[string]string

// Add adds an output. It reports whether the key was free, or has the same path already.
// Otherwise it changes nothing.
func (o Outputs) Add(ref Ref) bool {
	if path, has := o[ref.Name][ref.Key]; has {
		return path == ref.Path
	}
	if o[ref.Name] == nil {
		o[ref.Name] = map[string]string{}
	}
	o[ref.Name][ref.Key] = ref.Path
	return true
}

// Without returns a copy without the outputs of a path.
func (o Outputs) Without(path string) Outputs {
	return o.only(func(of string) bool { return of != path })
}

// only returns the outputs whose paths meet a condition.
func (o Outputs) only(is func(path string) bool) Outputs {
	some := Outputs{}
	for name, keys := range o {
		for key, path := range keys {
			if is(path) {
				some.Add(Ref{Path: path, Name: name, Key: key})
			}
		}
	}
	return some
}

// Calls returns the outputs whose paths are calls.
func (o Outputs) Calls() Outputs { return o.only(IsCall) }

// Names returns the names of the Secrets or ConfigMaps, sorted.
func (o Outputs) Names() []string { return slices.Sorted(maps.Keys(o)) }

// Paths returns the paths of all values, sorted, each once.
func (o Outputs) Paths() []string {
	var all []string
	for _, keys := range o {
		all = slices.AppendSeq(all, maps.Values(keys))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// output is a Secret or a ConfigMap with outputs, as it is stored now.
type output struct {
	content // nil if it does not exist
	keys    map[string]string
}

// Lacks reports whether the operator must ask the external API for a value. It must if the value
// does not exist, or was written for another path. Lacks also returns the values that exist. A
// Secret or a ConfigMap of another client is a [RefError]. A key of another client needs no
// value.
func (s Store) Lacks(ctx context.Context, namespace string, owner metav1.OwnerReference, wanted Outputs) (lacks bool, there [][]byte, err error) {
	for _, name := range wanted.Names() {
		is, err := s.output(ctx, namespace, name, owner)
		if err != nil {
			return false, nil, err
		}
		for key, path := range wanted[name] {
			if value := is.value(key, path); len(value) > 0 {
				there = append(there, value)
			} else if !is.isForeign(key) {
				lacks = true
			}
		}
	}
	return lacks, there, nil
}

// Changes reports whether Put would write a new or different value.
func (s Store) Changes(ctx context.Context, namespace string, owner metav1.OwnerReference, wanted Outputs, given []Value) (bool, error) {
	values := byPath(given)
	for _, name := range wanted.Names() {
		is, err := s.output(ctx, namespace, name, owner)
		var foreign *RefError
		if errors.As(err, &foreign) {
			continue
		} else if err != nil {
			return false, err
		}
		for key, path := range wanted[name] {
			if value := values[path]; len(value) > 0 && !is.isForeign(key) && !bytes.Equal(value, is.value(key, path)) {
				return true, nil
			}
		}
	}
	return false, nil
}

func byPath(given []Value) map[string][]byte {
	values := map[string][]byte{}
	for _, one := range given {
		values[one.Path] = one.Value
	}
	return values
}

// value returns the value of a key; nil if it was not written for this path.
func (o output) value(key, path string) []byte {
	if o.content == nil || o.keys[key] != path {
		return nil
	}
	value, _ := o.get(key)
	return value
}

// isForeign reports whether a key exists that the operator has not written.
func (o output) isForeign(key string) bool {
	if o.content == nil {
		return false
	}
	_, isOurs := o.keys[key]
	_, has := o.get(key)
	return has && !isOurs
}

// output reads a Secret or a ConfigMap with outputs. One that belongs to another client is a
// [RefError].
func (s Store) output(ctx context.Context, namespace, name string, owner metav1.OwnerReference) (output, error) {
	found, err := s.get(ctx, namespace, name)
	if err != nil || found == nil {
		return output{}, err
	}
	of := sorts[s.Of]
	if found.object().GetLabels()[of.ofObject] != string(owner.UID) {
		return output{}, &RefError{of.foreign, fmt.Sprintf("outputs: %s %s is there already, and not of this object: name another one, or delete it", s.Of, name)}
	}
	is := output{content: found, keys: map[string]string{}}
	_ = json.Unmarshal([]byte(found.object().GetAnnotations()[of.keysOf]), &is.keys) // keys that cannot be read belong to other clients
	return is, nil
}

// Put writes the outputs of an object to its Secrets or ConfigMaps. It removes keys that it has
// written before and that are no longer wanted, also from those in before that wanted does not
// name. New ones have the object as their owner, so that they are deleted with it. Put writes
// nothing if nothing differs. It does not change what belongs to other clients. If a wanted name
// or key belongs to another client, Put returns a [RefError] after it has written all others.
func (s Store) Put(ctx context.Context, namespace string, owner metav1.OwnerReference, wanted Outputs, given []Value, before []string) error {
	values := byPath(given)
	names := slices.Concat(wanted.Names(), before)
	slices.Sort(names)
	var refused []string
	for _, name := range slices.Compact(names) {
		is, err := s.output(ctx, namespace, name, owner)
		var foreign *RefError
		switch {
		case errors.As(err, &foreign) && wanted[name] == nil:
			continue // another client has replaced it
		case errors.As(err, &foreign):
			refused = append(refused, foreign.Message)
			continue
		case err != nil:
			return err
		}
		taken, err := s.put(ctx, namespace, name, owner, is, wanted[name], values)
		if err != nil {
			return fmt.Errorf("write %s %s: %w", s.Of, name, err)
		}
		if len(taken) > 0 {
			refused = append(refused, fmt.Sprintf("outputs: %s %s has keys that another client has written: %s; name other keys, or remove these", s.Of, name, strings.Join(taken, ", ")))
		}
	}
	if len(refused) > 0 {
		return &RefError{sorts[s.Of].foreign, strings.Join(refused, "; ")}
	}
	return nil
}

// put writes the wanted keys to one Secret or ConfigMap. Keys without a value are not changed. It
// returns the wanted keys that belong to other clients.
func (s Store) put(ctx context.Context, namespace, name string, owner metav1.OwnerReference, was output, wanted map[string]string, values map[string][]byte) (taken []string, err error) {
	is, of := was.content, sorts[s.Of]
	if is == nil {
		is = of.blank()
		is.object().SetNamespace(namespace)
		is.object().SetName(name)
		is.object().SetLabels(map[string]string{of.ofObject: string(owner.UID)})
	}
	before := is.object().DeepCopyObject()
	keys, taken := was.update(is, wanted, values)
	if was.content == nil && len(keys) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	annotations := is.object().GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[of.keysOf] = string(text)
	is.object().SetAnnotations(annotations)
	belong(is.object(), owner)
	switch {
	case was.content == nil:
		err = s.Writer.Create(ctx, is.object())
	case !reflect.DeepEqual(before, is.object()):
		err = s.Writer.Update(ctx, is.object())
	}
	return taken, err
}

// update writes values, and removes the keys that are no longer wanted. It returns the keys that
// the operator has written then, with their paths. It also returns the wanted keys that belong to
// other clients, sorted.
func (o output) update(is content, wanted map[string]string, values map[string][]byte) (keys map[string]string, taken []string) {
	keys = map[string]string{}
	for key := range o.keys {
		if _, stays := wanted[key]; !stays {
			is.remove(key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		path := wanted[key]
		if o.isForeign(key) {
			taken = append(taken, key)
		} else if value := values[path]; len(value) > 0 {
			is.set(key, value)
			keys[key] = path
		} else if was, has := o.keys[key]; has {
			keys[key] = was
		}
	}
	return keys, taken
}
