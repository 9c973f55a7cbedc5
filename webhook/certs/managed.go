package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ManagedOptions say how certificates are made. Secret, CRDs and Names must be given; the rest has defaults.
type ManagedOptions struct {
	// Secret is where replicas share what they have made. It is made where it is missing; an empty one will do.
	Secret types.NamespacedName
	// CRDs are the names of the definitions whose caBundle is kept, as in persons.crm.example.com.
	CRDs []string
	// Names are the DNS names and addresses that clients connect to, as in webhook.strata.svc.
	Names []string
	// Authority is how long an authority lives; a year.
	Authority time.Duration
	// Serving is how long a serving certificate lives; thirty days.
	Serving time.Duration
	// Settle is how long a new authority is in all definitions before anything is signed with it; a minute.
	Settle time.Duration
	// Interval is how often everything is looked at; half a minute.
	Interval time.Duration
	// Log takes messages; nil for none.
	Log *slog.Logger
	// Now is the clock; nil for that of the machine.
	Now func() time.Time
}

func (o ManagedOptions) orDefault() (ManagedOptions, error) {
	if o.Secret.Name == "" || o.Secret.Namespace == "" || len(o.CRDs) == 0 || len(o.Names) == 0 {
		return o, errors.New("certificates cannot be managed without a secret with its namespace, definitions, and names")
	}
	for _, d := range []struct {
		given     *time.Duration
		otherwise time.Duration
	}{{&o.Authority, 365 * 24 * time.Hour}, {&o.Serving, 30 * 24 * time.Hour}, {&o.Settle, time.Minute}, {&o.Interval, 30 * time.Second}} {
		if *d.given <= 0 {
			*d.given = d.otherwise
		}
	}
	if o.Serving > o.Authority/3 {
		return o, fmt.Errorf("serving certificates live %s, more than a third of an authority's %s: an old authority would go before them", o.Serving, o.Authority)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = orDiscard(o.Log)
	return o, nil
}

// Managed makes certificates.
type Managed struct {
	options ManagedOptions
	client  client.Client
	policy  policy
	crds    map[string]*definition
	awaited map[string]string // definitions that are still to come, and why
	// since is when the newest authority was first seen in all definitions.
	since struct {
		authority string
		at        time.Time
	}
	serving atomic.Pointer[tls.Certificate]
	problem atomic.Pointer[error]
}

// NewManaged makes a source that makes certificates. The client may get and patch the definitions, and get and update the
// Secret, and create it where it may be missing; nothing else.
func NewManaged(c client.Client, options ManagedOptions) (*Managed, error) {
	options, err := options.orDefault()
	if err != nil {
		return nil, err
	}
	m := &Managed{
		options: options, client: c, crds: map[string]*definition{},
		policy: policy{names: options.Names, authority: options.Authority, serving: options.Serving},
	}
	m.settle(errNone)
	return m, nil
}

// GetCertificate returns the certificate that all replicas share.
func (m *Managed) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if serving := m.serving.Load(); serving != nil {
		return serving, nil
	}
	return nil, errNone
}

// NotAfter is when the certificate expires.
func (m *Managed) NotAfter() time.Time { return notAfter(m.serving.Load()) }

// Ready reports whether there is a certificate whose authority is in all definitions. Once that is so, errors of later looks
// do not take it back: what is trusted stays trusted.
func (m *Managed) Ready() error {
	if problem := m.problem.Load(); problem != nil {
		return *problem
	}
	return expiry(m.serving.Load(), m.options.Now())
}

func (m *Managed) settle(problem error) {
	if problem == nil {
		m.problem.Store(nil)
	} else {
		m.problem.Store(&problem)
	}
}

// retry is how soon a look that failed, or that waits for a definition, is repeated. A definition that begins to name the
// webhook can be read in other versions only once it has an authority.
const retry = 2 * time.Second

// Start looks at everything again and again.
func (m *Managed) Start(ctx context.Context) error {
	for {
		pause := m.options.Interval
		err := m.Sync(ctx)
		if len(m.awaited) > 0 {
			pause = min(retry, pause)
		}
		if err != nil && ctx.Err() == nil {
			if m.problem.Load() != nil {
				m.settle(err)
			}
			if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
				m.options.Log.WarnContext(ctx, "certificates cannot be kept", "error", err)
			}
			pause = min(retry, pause)
		}
		if !sleep(ctx, pause+rand.N(pause/4+1)) {
			return nil
		}
	}
}

// Sync looks once, and does what is to be done now. A conflict with another replica is an error; the next look mends it.
func (m *Managed) Sync(ctx context.Context) error {
	crds, unread := m.definitions(ctx)
	keys, err := m.keyring(ctx, crds, unread == nil)
	if err != nil {
		return errors.Join(unread, err)
	}
	if m.serving.Load() == nil {
		m.serve(keys)
	}
	if err := m.trust(ctx, crds, keys.bundle()); err != nil {
		return err
	}
	m.serve(keys)
	if unread == nil {
		m.settle(nil)
	}
	return unread
}

func (m *Managed) serve(keys *keyring) {
	if before := m.serving.Swap(keys.serving); before == nil || !before.Leaf.Equal(keys.serving.Leaf) {
		m.options.Log.Info("serving with a certificate", "serial", keys.serving.Leaf.SerialNumber.Text(16), "authority", keys.serving.Leaf.Issuer.CommonName, "notAfter", keys.serving.Leaf.NotAfter)
	}
}

// keyring reads the Secret, brings it to where it should be, and writes it if it was not there. All tells that crds are all
// the definitions that there are.
func (m *Managed) keyring(ctx context.Context, crds []*definition, all bool) (*keyring, error) {
	var secret corev1.Secret
	err := m.client.Get(ctx, m.options.Secret, &secret)
	missing := apierrors.IsNotFound(err)
	if err != nil && !missing {
		return nil, fmt.Errorf("read secret %s: %w", m.options.Secret, err)
	}
	keys := readKeyring(secret.Data)
	changed, signer, err := m.policy.next(keys, m.options.Now(), m.isIntroduced(keys, crds) && all)
	if err != nil || !changed {
		return keys, err
	}
	secret.Data = keys.write(secret.Data, signer)
	if missing {
		secret.ObjectMeta = metav1.ObjectMeta{Namespace: m.options.Secret.Namespace, Name: m.options.Secret.Name}
		secret.Type = corev1.SecretTypeTLS
		err = m.client.Create(ctx, &secret)
	} else {
		err = m.client.Update(ctx, &secret)
	}
	if err != nil {
		return nil, fmt.Errorf("write secret %s: %w", m.options.Secret, err)
	}
	return keys, nil
}

// isIntroduced reports whether all definitions have had the newest authority for long enough, as this replica has seen.
func (m *Managed) isIntroduced(keys *keyring, crds []*definition) bool {
	if len(keys.authorities) == 0 {
		return false
	}
	newest := keys.authorities[0]
	for _, crd := range crds {
		if !holds(crd.bundle, newest) {
			m.since.authority = ""
			return false
		}
	}
	now := m.options.Now()
	if m.since.authority != string(newest.Raw) {
		m.since.authority, m.since.at = string(newest.Raw), now
	}
	return now.Sub(m.since.at) >= m.options.Settle
}
