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

// ManagedOptions configure Managed. Secret, CRDs and Names are required; the rest has defaults.
type ManagedOptions struct {
	// Secret is where replicas share certificates. Managed creates it if it is missing; it may be
	// empty.
	Secret types.NamespacedName
	// CRDs are the names of the CRDs whose caBundle Managed writes, such as
	// persons.crm.example.com.
	CRDs []string
	// Names are the DNS names and addresses that clients connect to, such as webhook.strata.svc.
	Names []string
	// CALife is how long a CA is valid; by default a year.
	CALife time.Duration
	// ServingLife is how long a serving certificate is valid; by default thirty days.
	ServingLife time.Duration
	// CADelay is how long a new CA must be in all CRDs before it signs anything; by default a
	// minute.
	CADelay time.Duration
	// Interval is the time between two checks of everything; by default half a minute.
	Interval time.Duration
	// Log receives messages; nil for none.
	Log *slog.Logger
	// Now is the clock; nil for the system clock.
	Now func() time.Time
}

func (o ManagedOptions) orDefault() (ManagedOptions, error) {
	if o.Secret.Name == "" || o.Secret.Namespace == "" || len(o.CRDs) == 0 || len(o.Names) == 0 {
		return o, errors.New("certificates cannot be managed without Secret with its namespace, CRDs and Names")
	}
	for _, d := range []struct {
		given     *time.Duration
		otherwise time.Duration
	}{{&o.CALife, 365 * 24 * time.Hour}, {&o.ServingLife, 30 * 24 * time.Hour}, {&o.CADelay, time.Minute}, {&o.Interval, 30 * time.Second}} {
		if *d.given <= 0 {
			*d.given = d.otherwise
		}
	}
	if o.ServingLife > o.CALife/3 {
		return o, fmt.Errorf("serving certificates are valid for %s, more than a third of the %s of a CA: the old CA would expire before them", o.ServingLife, o.CALife)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = orDiscard(o.Log)
	return o, nil
}

// Managed makes a CA and certificates, shares them in a Secret, and writes the CA into CRDs.
type Managed struct {
	options ManagedOptions
	client  client.Client
	policy  policy
	crds    map[string]*crdState
	awaited map[string]string // why it waits for a CRD, by name
	// since is when this replica first saw the newest CA in all CRDs.
	since struct {
		ca string
		at time.Time
	}
	serving atomic.Pointer[tls.Certificate]
	problem atomic.Pointer[error]
}

// NewManaged makes a source that creates certificates. Its client needs these rights only: get and
// patch the CRDs; get and update the Secret; and create it, if it may be missing.
func NewManaged(c client.Client, options ManagedOptions) (*Managed, error) {
	options, err := options.orDefault()
	if err != nil {
		return nil, err
	}
	m := &Managed{
		options: options, client: c, crds: map[string]*crdState{},
		policy: policy{names: options.Names, caLife: options.CALife, servingLife: options.ServingLife},
	}
	m.setProblem(errNone)
	return m, nil
}

// GetCertificate returns the certificate that all replicas share.
func (m *Managed) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if serving := m.serving.Load(); serving != nil {
		return serving, nil
	}
	return nil, errNone
}

// NotAfter returns when the certificate expires.
func (m *Managed) NotAfter() time.Time { return notAfter(m.serving.Load()) }

// Ready reports whether there is a certificate whose CA is in all CRDs. Once it is ready, later
// errors of Sync do not change that, because the CRDs continue to trust the CA.
func (m *Managed) Ready() error {
	if problem := m.problem.Load(); problem != nil {
		return *problem
	}
	return expiry(m.serving.Load(), m.options.Now())
}

func (m *Managed) setProblem(problem error) {
	if problem == nil {
		m.problem.Store(nil)
	} else {
		m.problem.Store(&problem)
	}
}

// retry is how soon Sync is repeated after an error, or while it waits for a CRD. Once a CRD refers
// to the webhook, its other versions can be read only after it has the CA.
const retry = 2 * time.Second

// Start calls Sync repeatedly until ctx is done.
func (m *Managed) Start(ctx context.Context) error {
	for {
		pause := m.options.Interval
		err := m.Sync(ctx)
		if len(m.awaited) > 0 {
			pause = min(retry, pause)
		}
		if err != nil && ctx.Err() == nil {
			if m.problem.Load() != nil {
				m.setProblem(err)
			}
			if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
				m.options.Log.WarnContext(ctx, "the certificates could not be updated", "error", err)
			}
			pause = min(retry, pause)
		}
		if !sleep(ctx, pause+rand.N(pause/4+1)) {
			return nil
		}
	}
}

// Sync reads the Secret and the CRDs once, and makes all changes that are due. A conflict with
// another replica is an error; the next call resolves it.
func (m *Managed) Sync(ctx context.Context) error {
	crds, unread := m.readCRDs(ctx)
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
		m.setProblem(nil)
	}
	return unread
}

func (m *Managed) serve(keys *keyring) {
	if before := m.serving.Swap(keys.serving); before == nil || !before.Leaf.Equal(keys.serving.Leaf) {
		m.options.Log.Info("serving with a certificate", "serial", keys.serving.Leaf.SerialNumber.Text(16), "ca", keys.serving.Leaf.Issuer.CommonName, "notAfter", keys.serving.Leaf.NotAfter)
	}
}

// keyring reads the Secret, brings it to its present state, and writes it if it changed. all
// reports that crds are all CRDs of the options.
func (m *Managed) keyring(ctx context.Context, crds []*crdState, all bool) (*keyring, error) {
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

// isIntroduced reports whether this replica has seen the newest CA in all CRDs for long enough.
func (m *Managed) isIntroduced(keys *keyring, crds []*crdState) bool {
	if len(keys.cas) == 0 {
		return false
	}
	newest := keys.cas[0]
	for _, crd := range crds {
		if !contains(crd.bundle, newest) {
			m.since.ca = ""
			return false
		}
	}
	now := m.options.Now()
	if m.since.ca != string(newest.Raw) {
		m.since.ca, m.since.at = string(newest.Raw), now
	}
	return now.Sub(m.since.at) >= m.options.CADelay
}
