package outside

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// Inputs are the values that references name, and what names the Secrets as they are now. Each Secret is read once.
func (s Secrets) Inputs(ctx context.Context, namespace string, refs []Ref) (values []*v1.Secret, versions []string, err error) {
	read := map[string]*corev1.Secret{}
	for _, ref := range refs {
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
