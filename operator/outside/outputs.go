package outside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
)

// OfObject labels Secrets with the UID of the object that their values are of.
const OfObject = "strata.dev/secret-of"

// KeysOf annotates such a Secret with the keys that the operator has written, and the path of each: JSON of an object. Other
// keys are somebody else's.
const KeysOf = "strata.dev/secret-keys"

// Outputs are values that the external API gives out: their paths, by the name of the Secret and the key in it.
type Outputs map[string]map[string]string

// OutputsOf returns the outputs among references.
func OutputsOf(refs []Ref) Outputs {
	all := Outputs{}
	for _, ref := range refs {
		if !ref.IsOutput() {
			continue
		}
		if all[ref.Name] == nil {
			all[ref.Name] = map[string]string{}
		}
		all[ref.Name][ref.Key] = ref.Path
	}
	return all
}

// Names are those of the Secrets, sorted.
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

// output is a Secret of an object's outputs, as it is.
type output struct {
	secret *corev1.Secret // nil where there is none
	keys   map[string]string
}

// Lack reports whether a value must be asked for: its Secret or its key is not there, or was written for another path. A
// Secret that somebody else has made is a [SecretError].
func (s Secrets) Lack(ctx context.Context, namespace string, owner metav1.OwnerReference, wanted Outputs) (bool, error) {
	lacks := false
	for _, name := range wanted.Names() {
		is, err := s.output(ctx, namespace, name, owner)
		if err != nil {
			return false, err
		}
		for key, path := range wanted[name] {
			if is.secret == nil || is.keys[key] != path || len(is.secret.Data[key]) == 0 {
				lacks = true
			}
		}
	}
	return lacks, nil
}

// output reads a Secret for outputs. Nil is none.
func (s Secrets) output(ctx context.Context, namespace, name string, owner metav1.OwnerReference) (output, error) {
	secret := &corev1.Secret{}
	err := s.Reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, secret)
	switch {
	case apierrors.IsNotFound(err):
		return output{}, nil
	case err != nil:
		return output{}, fmt.Errorf("read Secret %s: %w", name, err)
	case secret.Labels[OfObject] != string(owner.UID):
		return output{}, &SecretError{ReasonSecretForeign, fmt.Sprintf("outputs: Secret %s is there already, and not of this object: name another one, or delete it", name)}
	}
	is := output{secret: secret, keys: map[string]string{}}
	_ = json.Unmarshal([]byte(secret.Annotations[KeysOf]), &is.keys) // keys that cannot be read are somebody else's
	return is, nil
}

// Store makes the Secrets of an object hold what is wanted: values that were given are written, and keys that were written
// before and are wanted no more are removed, also from Secrets that were written before and are not named any more. Secrets
// are made with the object as their owner, so that they are deleted with it. Nothing is written where all is as it should be.
func (s Secrets) Store(ctx context.Context, namespace string, owner metav1.OwnerReference, wanted Outputs, given []*v1.Secret, before []string) error {
	values := map[string][]byte{}
	for _, secret := range given {
		values[secret.GetPath()] = secret.GetValue()
	}
	names := slices.Concat(wanted.Names(), before)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		is, err := s.output(ctx, namespace, name, owner)
		var foreign *SecretError
		switch {
		case errors.As(err, &foreign) && wanted[name] == nil:
			continue // somebody has replaced it
		case err != nil:
			return err
		}
		if err := s.put(ctx, namespace, name, owner, is, wanted[name], values); err != nil {
			return fmt.Errorf("write Secret %s: %w", name, err)
		}
	}
	return nil
}

// put makes a Secret hold the wanted keys. Those without a value stay as they are.
func (s Secrets) put(ctx context.Context, namespace, name string, owner metav1.OwnerReference, is output, wanted map[string]string, values map[string][]byte) error {
	secret, keys := is.secret.DeepCopy(), map[string]string{}
	if secret == nil {
		secret = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{OfObject: string(owner.UID)}}}
	}
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	for key := range is.keys {
		if _, stays := wanted[key]; !stays {
			delete(secret.Data, key)
		}
	}
	for key, path := range wanted {
		if value := values[path]; len(value) > 0 {
			secret.Data[key], keys[key] = value, path
		} else if was, has := is.keys[key]; has {
			keys[key] = was
		}
	}
	if is.secret == nil && len(keys) == 0 {
		return nil
	}
	belong(secret, owner)
	if secret.Annotations == nil {
		secret.Annotations = map[string]string{}
	}
	text, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	secret.Annotations[KeysOf] = string(text)
	switch {
	case is.secret == nil:
		return s.Writer.Create(ctx, secret)
	case !reflect.DeepEqual(is.secret, secret):
		return s.Writer.Update(ctx, secret)
	}
	return nil
}

// belong makes an object the owner of a Secret, under the version that it has now.
func belong(secret *corev1.Secret, owner metav1.OwnerReference) {
	for i, r := range secret.OwnerReferences {
		if r.UID == owner.UID {
			secret.OwnerReferences[i].APIVersion = owner.APIVersion
			return
		}
	}
	secret.OwnerReferences = append(secret.OwnerReferences, owner)
}
