package outside

import (
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

// OfObject labels Secrets with the UID of the object that their values are of; ConfigOfObject does so with ConfigMaps.
const (
	OfObject       = "strata.dev/secret-of"
	ConfigOfObject = "strata.dev/config-of"
)

// KeysOf annotates such a Secret with the keys that the operator has written, and the path of each: JSON of an object. Other
// keys are somebody else's. ConfigKeysOf is that of ConfigMaps.
const (
	KeysOf       = "strata.dev/secret-keys"
	ConfigKeysOf = "strata.dev/config-keys"
)

// IsCall reports whether the external API must be asked for the value of a path: the path calls something.
func IsCall(path string) bool { return strings.Contains(path, "()") }

// Outputs are values that the external API gives out: their paths, by the name of the Secret or the ConfigMap and the key in it.
type Outputs map[string]map[string]string

// Add adds an output. It reports whether the key is free, or has the same path already.
func (o Outputs) Add(ref Ref) bool {
	if o[ref.Name] == nil {
		o[ref.Name] = map[string]string{}
	}
	path, has := o[ref.Name][ref.Key]
	o[ref.Name][ref.Key] = ref.Path
	return !has || path == ref.Path
}

// Calls returns the outputs whose values must be asked for.
func (o Outputs) Calls() Outputs {
	calls := Outputs{}
	for name, keys := range o {
		for key, path := range keys {
			if IsCall(path) {
				calls.Add(Ref{Path: path, Name: name, Key: key})
			}
		}
	}
	return calls
}

// Names are those of the Secrets or ConfigMaps, sorted.
func (o Outputs) Names() []string { return slices.Sorted(maps.Keys(o)) }

// Paths are those of all values, sorted, each once.
func (o Outputs) Paths() []string {
	var all []string
	for _, keys := range o {
		all = slices.AppendSeq(all, maps.Values(keys))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// output is what an object's outputs are written to, as it is.
type output struct {
	content // nil where there is none
	keys    map[string]string
}

// Lack reports whether a value must be asked for: it or what holds it is not there, or was written for another path. It returns the
// values that are there. A Secret or a ConfigMap that somebody else has made is a [RefError].
func (s Store) Lack(ctx context.Context, namespace string, owner metav1.OwnerReference, wanted Outputs) (lacks bool, there [][]byte, err error) {
	for _, name := range wanted.Names() {
		is, err := s.output(ctx, namespace, name, owner)
		if err != nil {
			return false, nil, err
		}
		for key, path := range wanted[name] {
			if value := is.value(key, path); len(value) > 0 {
				there = append(there, value)
			} else {
				lacks = true
			}
		}
	}
	return lacks, there, nil
}

// value is that of a key, if it was written for a path.
func (o output) value(key, path string) []byte {
	if o.content == nil || o.keys[key] != path {
		return nil
	}
	value, _ := o.get(key)
	return value
}

// output reads what outputs are written to.
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
	_ = json.Unmarshal([]byte(found.object().GetAnnotations()[of.keysOf]), &is.keys) // keys that cannot be read are somebody else's
	return is, nil
}

// Put makes the Secrets or ConfigMaps of an object hold what is wanted: values that were given are written, and keys that were
// written before and are wanted no more are removed, also from those that are not named any more. They are made with the object
// as their owner, so that they are deleted with it. Nothing is written where all is as it should be.
func (s Store) Put(ctx context.Context, namespace string, owner metav1.OwnerReference, wanted Outputs, given []Value, before []string) error {
	values := map[string][]byte{}
	for _, one := range given {
		values[one.Path] = one.Value
	}
	names := slices.Concat(wanted.Names(), before)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		is, err := s.output(ctx, namespace, name, owner)
		var foreign *RefError
		switch {
		case errors.As(err, &foreign) && wanted[name] == nil:
			continue // somebody has replaced it
		case err != nil:
			return err
		}
		if err := s.put(ctx, namespace, name, owner, is, wanted[name], values); err != nil {
			return fmt.Errorf("write %s %s: %w", s.Of, name, err)
		}
	}
	return nil
}

// put makes one of them hold the wanted keys. Those without a value stay as they are.
func (s Store) put(ctx context.Context, namespace, name string, owner metav1.OwnerReference, was output, wanted map[string]string, values map[string][]byte) error {
	is, of := was.content, sorts[s.Of]
	if is == nil {
		is = of.blank()
		is.object().SetNamespace(namespace)
		is.object().SetName(name)
		is.object().SetLabels(map[string]string{of.ofObject: string(owner.UID)})
	}
	before := is.object().DeepCopyObject()
	keys := was.update(is, wanted, values)
	if was.content == nil && len(keys) == 0 {
		return nil
	}
	text, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	notes := is.object().GetAnnotations()
	if notes == nil {
		notes = map[string]string{}
	}
	notes[of.keysOf] = string(text)
	is.object().SetAnnotations(notes)
	belong(is.object(), owner)
	switch {
	case was.content == nil:
		return s.Writer.Create(ctx, is.object())
	case !reflect.DeepEqual(before, is.object()):
		return s.Writer.Update(ctx, is.object())
	}
	return nil
}

// update writes values, removes the keys that are wanted no more, and returns those that the operator has written then.
func (o output) update(is content, wanted map[string]string, values map[string][]byte) map[string]string {
	keys := map[string]string{}
	for key := range o.keys {
		if _, stays := wanted[key]; !stays {
			is.remove(key)
		}
	}
	for key, path := range wanted {
		if value := values[path]; len(value) > 0 {
			is.set(key, value)
			keys[key] = path
		} else if was, has := o.keys[key]; has {
			keys[key] = was
		}
	}
	return keys
}
