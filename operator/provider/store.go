package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Store reads and writes Secrets or ConfigMaps, of one namespace at a time. It caches none.
type Store struct {
	// Of selects Secrets or ConfigMaps.
	Of StoreKind
	// Reader reads them from the API server. The operator should not have a cache of all of them
	// in memory.
	Reader client.Reader
	Writer client.Writer
}

// StoreKind is a kind of objects with keys and values: Secrets or ConfigMaps.
type StoreKind uint8

// The kinds of a store.
const (
	OfSecrets StoreKind = iota
	OfConfigMaps
)

// sorts lists the differences between Secrets and ConfigMaps.
var sorts = [...]struct {
	kind             string
	ofObject, keysOf string // the label and the annotation of outputs
	missing, foreign string // the reasons of conditions
	blank            func() content
}{
	OfSecrets:    {"Secret", OfObject, secretKeysOf, ReasonSecretMissing, ReasonSecretForeign, func() content { return secretContent{&corev1.Secret{}} }},
	OfConfigMaps: {"ConfigMap", ConfigOfObject, configKeysOf, ReasonConfigMapMissing, ReasonConfigMapForeign, func() content { return configContent{&corev1.ConfigMap{}} }},
}

// String returns the kind: Secret or ConfigMap.
func (s StoreKind) String() string { return sorts[s].kind }

// content is a Secret or a ConfigMap with its values.
type content interface {
	object() client.Object
	get(key string) (value []byte, has bool)
	set(key string, value []byte)
	remove(key string)
}

type secretContent struct{ *corev1.Secret }

func (c secretContent) object() client.Object { return c.Secret }

func (c secretContent) get(key string) ([]byte, bool) {
	value, has := c.Data[key]
	return value, has
}

func (c secretContent) set(key string, value []byte) {
	if c.Data == nil {
		c.Data = map[string][]byte{}
	}
	c.Data[key] = value
}

func (c secretContent) remove(key string) { delete(c.Data, key) }

type configContent struct{ *corev1.ConfigMap }

func (c configContent) object() client.Object { return c.ConfigMap }

func (c configContent) get(key string) ([]byte, bool) {
	if value, has := c.Data[key]; has {
		return []byte(value), true
	}
	value, has := c.BinaryData[key]
	return value, has
}

// set removes the key from the binary data: the API server allows a key in one of the two only.
func (c configContent) set(key string, value []byte) {
	if c.Data == nil {
		c.Data = map[string]string{}
	}
	c.Data[key] = string(value)
	delete(c.BinaryData, key)
}

func (c configContent) remove(key string) {
	delete(c.Data, key)
	delete(c.BinaryData, key)
}

// Ref is the source or the destination of a value.
type Ref struct {
	Path string `json:"path"`
	Name string `json:"name"`
	Key  string `json:"key"`
}

// Value is the value at a path.
type Value struct {
	Path  string
	Value []byte
}

// RefError reports why a Secret or a ConfigMap cannot be used.
type RefError struct {
	Reason  string
	Message string
}

func (e *RefError) Error() string { return e.Message }

// Reasons of conditions for Secrets and ConfigMaps.
const (
	ReasonSecretMissing    = "SecretNotFound"
	ReasonSecretForeign    = "SecretNotOurs"
	ReasonConfigMapMissing = "ConfigMapNotFound"
	ReasonConfigMapForeign = "ConfigMapNotOurs"
	ReasonInputsInvalid    = "InputsInvalid"
)

// maxInputs limits the values of one object together, in bytes: several references may name the
// same key.
const maxInputs = 1 << 20

// Inputs returns the values that references name. It also returns names, UIDs and resource
// versions of the Secrets or ConfigMaps, which change with their content. It reads each once.
func (s Store) Inputs(ctx context.Context, namespace string, refs []Ref) (values []Value, versions []string, err error) {
	read, size := map[string]content{}, 0
	for _, ref := range refs {
		if read[ref.Name] == nil {
			if read[ref.Name], err = s.input(ctx, namespace, ref.Name); err != nil {
				return nil, nil, err
			}
		}
		value, has := read[ref.Name].get(ref.Key)
		if !has {
			return nil, nil, &RefError{sorts[s.Of].missing, fmt.Sprintf("%s %s has no key %s, which is needed for %s", s.Of, ref.Name, ref.Key, ref.Path)}
		}
		if size += len(value); size > maxInputs {
			return nil, nil, &RefError{ReasonInputsInvalid, fmt.Sprintf("the values of %ss are larger than %d bytes together", s.Of, maxInputs)}
		}
		values = append(values, Value{ref.Path, value})
	}
	for _, name := range slices.Sorted(maps.Keys(read)) {
		versions = append(versions, name+"/"+string(read[name].object().GetUID())+"/"+read[name].object().GetResourceVersion())
	}
	return values, versions, nil
}

// input reads a Secret or a ConfigMap with values. A missing one is a [RefError].
func (s Store) input(ctx context.Context, namespace, name string) (content, error) {
	found, err := s.get(ctx, namespace, name)
	if found == nil && err == nil {
		err = &RefError{sorts[s.Of].missing, fmt.Sprintf("%s %s is not there", s.Of, name)}
	}
	return found, err
}

// get reads a Secret or a ConfigMap; nil if it does not exist.
func (s Store) get(ctx context.Context, namespace, name string) (content, error) {
	into := sorts[s.Of].blank()
	err := s.Reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, into.object())
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read %s %s: %w", s.Of, name, err)
	}
	return into, nil
}

// belong adds an owner to an object, or updates the version in the reference to it.
func belong(object metav1.Object, owner metav1.OwnerReference) {
	all := object.GetOwnerReferences()
	i := slices.IndexFunc(all, func(r metav1.OwnerReference) bool { return r.UID == owner.UID })
	if i >= 0 {
		all[i].APIVersion = owner.APIVersion
	} else {
		all = append(all, owner)
	}
	object.SetOwnerReferences(all)
}
