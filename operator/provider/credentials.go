package provider

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/plugin/credentials"
	asked "github.com/stratakube/strata/operator/plugin/credentials/v2"
	"github.com/stratakube/strata/operator/plugin/host"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
)

// DefaultCredentials is the name of the Secret with the credentials of all objects of its
// namespace that name no other one.
const DefaultCredentials = "strata-credentials"

// Keys of Secrets with credentials that only the operator reads. All others are passed to the
// provider.
const (
	keySource = "source" // the credentials plugin that returns a token
	keyScopes = "scopes" // the scopes of the token, separated by blanks
)

// Keys under which a provider receives a token.
const (
	keyToken   = "AZURE_ACCESS_TOKEN"
	keyExpires = "AZURE_ACCESS_TOKEN_EXPIRES"
)

// Credentials reads the credentials for calls of the external API.
type Credentials struct {
	Reader client.Reader
	Host   *host.Host

	last recall

	mu     sync.Mutex
	tokens map[string]token
}

type token struct {
	value   string
	expires time.Time
}

// early is how long before its expiry a token is replaced.
const early = 2 * time.Minute

// For returns the credentials of an object: those of the Secret that it names, or else of the
// default Secret of its namespace. Without such a Secret it returns nil, which means the plugin's
// own. It refuses a Secret that the operator wrote for outputs. Otherwise a client that may write
// objects, but not Secrets, could choose the credentials of other clients.
func (c *Credentials) For(ctx context.Context, object client.ObjectKey, named string) (*v1.Credentials, error) {
	if object.Namespace == "" {
		return nil, nil
	}
	from := client.ObjectKey{Namespace: object.Namespace, Name: cmp.Or(named, DefaultCredentials)}
	read := &corev1.Secret{}
	err := c.Reader.Get(ctx, from, read)
	switch {
	case apierrors.IsNotFound(err) && named == "":
		return nil, nil
	case apierrors.IsNotFound(err):
		return nil, &RefError{ReasonSecretMissing, fmt.Sprintf("Secret %s with the credentials is not there", from.Name)}
	case err != nil:
		return nil, fmt.Errorf("read Secret %s with the credentials: %w", from.Name, err)
	}
	if label := sorts[OfSecrets].ofObject; read.Labels[label] != "" {
		return nil, &RefError{ReasonSecretMissing, fmt.Sprintf(
			"Secret %s holds outputs of an object, whose author chose its values: credentials are in a Secret without the label %s", from.Name, label)}
	}
	c.last.put(from, secret{made: read.CreationTimestamp.Time, data: read.Data})
	return c.of(ctx, object, read.Data)
}

// Last returns the credentials that For read last from a Secret which no longer exists; nil if
// this process has read none. The operator uses them only to delete what was made with them,
// while the namespace is being deleted. A Secret that is older than the namespace belonged to an
// earlier namespace of that name, maybe of another tenant.
func (c *Credentials) Last(ctx context.Context, object client.ObjectKey, name string, namespaceMade time.Time) (*v1.Credentials, error) {
	known, has := c.last.get(client.ObjectKey{Namespace: object.Namespace, Name: name})
	if !has || known.made.Before(namespaceMade) {
		return nil, nil
	}
	return c.of(ctx, object, known.data)
}

// AreSame reports whether two objects use the same credentials: those of one Secret, or of
// Secrets with equal data. A key without a name means the provider's own credentials. For a
// Secret that no longer exists, AreSame uses the data that was read last.
func (c *Credentials) AreSame(ctx context.Context, a, b client.ObjectKey) (bool, error) {
	if a == b || a.Name == "" && b.Name == "" {
		return true, nil
	}
	if a.Name == "" || b.Name == "" {
		return false, nil
	}
	first, err := c.data(ctx, a)
	if err != nil || first == nil {
		return false, err
	}
	second, err := c.data(ctx, b)
	return err == nil && second != nil && maps.EqualFunc(first, second, bytes.Equal), err
}

// data returns the data of a Secret. If the Secret no longer exists, it returns the data that was
// read last; nil if there is none.
func (c *Credentials) data(ctx context.Context, key client.ObjectKey) (map[string][]byte, error) {
	read := &corev1.Secret{}
	err := c.Reader.Get(ctx, key, read)
	if apierrors.IsNotFound(err) {
		known, _ := c.last.get(key)
		return known.data, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read Secret %s with the credentials: %w", key.Name, err)
	}
	return read.Data, nil
}

// of returns the credentials in the data of a Secret, or gets a token from the plugin that the
// data names.
func (c *Credentials) of(ctx context.Context, object client.ObjectKey, data map[string][]byte) (*v1.Credentials, error) {
	values := maps.Clone(data)
	source, scopes := string(values[keySource]), string(values[keyScopes])
	delete(values, keySource)
	delete(values, keyScopes)
	if source == "" {
		return &v1.Credentials{Values: values}, nil
	}
	t, err := c.token(ctx, source, strings.Fields(scopes), object)
	if err != nil {
		return nil, err
	}
	if values == nil {
		values = map[string][]byte{}
	}
	values[keyToken] = []byte(t.value)
	if !t.expires.IsZero() {
		values[keyExpires] = []byte(t.expires.UTC().Format(time.RFC3339))
	}
	return &v1.Credentials{Values: values}, nil
}

// token returns a token from a credentials plugin. It uses a stored one until shortly before its
// expiry.
func (c *Credentials) token(ctx context.Context, source string, scopes []string, object client.ObjectKey) (token, error) {
	key := fmt.Sprintf("%q %q %q", source, scopes, object)
	c.mu.Lock()
	known, has := c.tokens[key]
	c.mu.Unlock()
	if has && time.Until(known.expires) > early {
		return known, nil
	}
	from, err := credentials.Get(ctx, c.Host, source, nil)
	if err != nil {
		return token{}, &UnavailableError{fmt.Errorf("credentials from %s: %w", source, err)}
	}
	out, err := from.Token(ctx, &asked.TokenRequest{Scopes: scopes, Namespace: object.Namespace, Name: object.Name})
	if err != nil {
		return token{}, &UnavailableError{fmt.Errorf("credentials from %s: %w", source, err)}
	}
	if out.GetToken() == "" {
		return token{}, &UnavailableError{errors.New("credentials from " + source + ": the token is empty")}
	}
	t := token{value: out.GetToken()}
	if out.GetExpires() != nil {
		t.expires = out.GetExpires().AsTime()
		c.keep(key, t)
	}
	return t, nil
}

// maxTokens is the maximum number of stored tokens.
const maxTokens = 10000

func (c *Credentials) keep(key string, t token) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tokens == nil || len(c.tokens) >= maxTokens {
		c.tokens = map[string]token{}
	}
	c.tokens[key] = t
}
