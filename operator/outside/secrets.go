package outside

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
)

// Ref says where a value of a secret lies, or is to be put.
type Ref struct {
	Path string `json:"path"`
	Name string `json:"name"`
	Key  string `json:"key"`
}

// IsOutput tells whether the outside API gives the value out: the path calls something.
func (r Ref) IsOutput() bool { return strings.Contains(r.Path, "()") }

// SecretError says that a Secret does not do.
type SecretError struct {
	Reason  string
	Message string
}

func (e *SecretError) Error() string { return e.Message }

// Reasons of conditions that come of Secrets.
const (
	ReasonSecretMissing = "SecretNotFound"
	ReasonSecretForeign = "SecretNotOurs"
)

// Secrets reads and writes Secrets of one namespace at a time. It keeps none.
type Secrets struct {
	// Reader reads them from the API server: a cache of all Secrets is what no operator should hold.
	Reader client.Reader
	Writer client.Writer
}

// Inputs are the values that references name, and what names the Secrets as they are now. Outputs are handed on empty.
// Each Secret is read once.
func (s Secrets) Inputs(ctx context.Context, namespace string, refs []Ref) (values []*v1.Secret, versions []string, err error) {
	read := map[string]*corev1.Secret{}
	for _, ref := range refs {
		if ref.IsOutput() {
			values = append(values, &v1.Secret{Path: ref.Path})
			continue
		}
		if read[ref.Name] == nil {
			if read[ref.Name], err = s.get(ctx, namespace, ref.Name); err != nil {
				return nil, nil, err
			}
		}
		value, has := read[ref.Name].Data[ref.Key]
		if !has {
			return nil, nil, &SecretError{ReasonSecretMissing, fmt.Sprintf("Secret %s has no key %s, which is needed for %s", ref.Name, ref.Key, ref.Path)}
		}
		values = append(values, &v1.Secret{Path: ref.Path, Value: value})
	}
	for _, name := range slices.Sorted(maps.Keys(read)) {
		versions = append(versions, name+"/"+string(read[name].UID)+"/"+read[name].ResourceVersion)
	}
	return values, versions, nil
}

func (s Secrets) get(ctx context.Context, namespace, name string) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := s.Reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, secret)
	if apierrors.IsNotFound(err) {
		return nil, &SecretError{ReasonSecretMissing, fmt.Sprintf("Secret %s is not there", name)}
	}
	if err != nil {
		return nil, fmt.Errorf("read Secret %s: %w", name, err)
	}
	return secret, nil
}

// OfObject labels Secrets with the UID of the object that their values are of.
const OfObject = "strata.dev/secret-of"

// Outputs writes values that the outside API gave out where references want them, in Secrets of the owner's own, which
// are deleted with it. It writes nothing where all is as it should be. A Secret that somebody else has made is not touched.
func (s Secrets) Outputs(ctx context.Context, namespace string, owner metav1.OwnerReference, refs []Ref, given []*v1.Secret) error {
	values := map[string][]byte{}
	for _, secret := range given {
		values[secret.GetPath()] = secret.GetValue()
	}
	wanted := map[string]map[string][]byte{}
	for _, ref := range refs {
		value, has := values[ref.Path]
		if !ref.IsOutput() || !has || len(value) == 0 {
			continue
		}
		if wanted[ref.Name] == nil {
			wanted[ref.Name] = map[string][]byte{}
		}
		wanted[ref.Name][ref.Key] = value
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if err := s.put(ctx, namespace, name, owner, wanted[name]); err != nil {
			return err
		}
	}
	return nil
}

func (s Secrets) put(ctx context.Context, namespace, name string, owner metav1.OwnerReference, data map[string][]byte) error {
	secret := &corev1.Secret{}
	err := s.Reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, secret)
	switch {
	case apierrors.IsNotFound(err):
		secret.ObjectMeta = metav1.ObjectMeta{
			Namespace: namespace, Name: name,
			Labels:          map[string]string{OfObject: string(owner.UID)},
			OwnerReferences: []metav1.OwnerReference{owner},
		}
		secret.Data = data
		err = s.Writer.Create(ctx, secret)
	case err != nil:
	case secret.Labels[OfObject] != string(owner.UID):
		return &SecretError{ReasonSecretForeign, fmt.Sprintf("Secret %s is there already, and not of this object: name another one, or delete it", name)}
	case holds(secret.Data, data):
		return nil
	default:
		if secret.Data == nil {
			secret.Data = map[string][]byte{}
		}
		maps.Copy(secret.Data, data)
		err = s.Writer.Update(ctx, secret)
	}
	if err != nil {
		return fmt.Errorf("write Secret %s: %w", name, err)
	}
	return nil
}

func holds(data, wanted map[string][]byte) bool {
	for key, value := range wanted {
		if has, ok := data[key]; !ok || string(has) != string(value) {
			return false
		}
	}
	return true
}
