package operator

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/annotation"
)

// claimKeyName is the default name of the Secret with the keys that sign claims.
const claimKeyName = "strata-operator-claim-key"

// noClaimKey is the value of Options.ClaimKey that leaves claims unsigned.
var noClaimKey = types.NamespacedName{Name: off}

// namespaceFile has the namespace of the pod.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// podNamespace returns the namespace of the pod; empty if the process runs in none.
func podNamespace() string {
	data, err := os.ReadFile(namespaceFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// claimKeyOf returns the Secret with the keys of claims; empty if claims are not signed. Without a
// configured one, it is in the namespace of the lease, or of the pod.
func (o Options) claimKeyOf() types.NamespacedName {
	switch {
	case o.ClaimKey == noClaimKey:
		return types.NamespacedName{}
	case o.ClaimKey.Name != "":
		return o.ClaimKey
	}
	namespace := cmp.Or(o.LeaderElection.Namespace, podNamespace())
	if namespace == "" {
		return types.NamespacedName{}
	}
	return types.NamespacedName{Namespace: namespace, Name: claimKeyName}
}

// claimKeys reads the keys of claims. It makes a key if there is none. All replicas have the key
// of the one that has written first.
func (o Options) claimKeys(ctx context.Context, reader client.Reader, writer client.Writer) (*annotation.Keys, error) {
	at := o.claimKeyOf()
	if at.Name == "" {
		o.Log.Warn("claims are not signed: clients of namespaces that share the credentials of the operator can forge them; --claim-key names a Secret for the key")
		return nil, nil
	}
	for range maxKeyTries {
		secret := &corev1.Secret{}
		err := reader.Get(ctx, at, secret)
		if client.IgnoreNotFound(err) != nil {
			return nil, o.claimKeyError(at, err)
		}
		if err == nil && len(secret.Data) > 0 {
			keys, err := annotation.NewKeys(secret.Data)
			if err != nil {
				return nil, o.claimKeyError(at, err)
			}
			return keys, nil
		}
		if err = o.makeClaimKey(ctx, writer, at, secret, err != nil); err != nil && !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			return nil, o.claimKeyError(at, err)
		}
	}
	return nil, o.claimKeyError(at, errors.New("it changes all the time"))
}

// maxKeyTries is how often the operator reads the Secret: others may write it at the same time.
const maxKeyTries = 10

// makeClaimKey writes a new key. Its name has the time, so that a later one comes after it.
func (o Options) makeClaimKey(ctx context.Context, writer client.Writer, at types.NamespacedName, secret *corev1.Secret, isNew bool) error {
	key := make([]byte, annotation.MinKey)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	name := time.Now().UTC().Format("20060102T150405Z")
	o.Log.Warn("there is no key for claims, and a new one is made: claims that another key has signed count as unsigned", "secret", at.String(), "key", name)
	secret.Data = map[string][]byte{name: key}
	if isNew {
		secret.ObjectMeta = metav1.ObjectMeta{Namespace: at.Namespace, Name: at.Name}
		return writer.Create(ctx, secret)
	}
	return writer.Update(ctx, secret)
}

// claimKeyError returns an error with what the user can do.
func (o Options) claimKeyError(at types.NamespacedName, err error) error {
	return fmt.Errorf("keys of claims in Secret %s: %w; hint: create the empty Secret, and allow the operator to get and update it, or set --claim-key", at, err)
}
