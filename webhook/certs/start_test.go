package certs_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/stratakube/strata/webhook/certs"
)

// TestStartLooksAgain checks that Sync runs at the usual interval, and sooner after one that failed
// or that waits for a CRD. It runs in a bubble of synctest, so that nothing really waits.
func TestStartLooksAgain(t *testing.T) {
	errDown := errors.New("the API server is down")
	conflict := apierrors.NewAlreadyExists(schema.GroupResource{Resource: "secrets"}, "certificates")
	always := func(err error) func(int) error { return func(int) error { return err } }
	for _, test := range []struct {
		reason   string
		interval time.Duration
		fails    func(look int) error
		crd      string
		after    time.Duration
		// least and most bound the number of calls of Sync.
		least, most int
		ready       error
		warnings    string
	}{
		{reason: "all is well", interval: time.Hour, after: 59 * time.Minute, least: 1, most: 1},
		{reason: "up to a quarter of the interval later", interval: time.Hour, after: 75*time.Minute + time.Second, least: 2, most: 2},
		{reason: "a CRD is still to come", interval: time.Hour, crd: "orders.crm.example.com", after: 9 * time.Second, least: 4, most: 5, warnings: "waiting for a CRD"},
		{reason: "the same with a short interval", interval: time.Second, crd: "orders.crm.example.com", after: 10 * time.Second, least: 9, most: 11, warnings: "waiting for a CRD"},
		{reason: "a look fails", interval: time.Hour, fails: always(errDown), after: 9 * time.Second, least: 4, most: 5, ready: errDown, warnings: "the certificates could not be updated"},
		{reason: "a look fails, with a short interval", interval: time.Second, fails: always(errDown), after: 10 * time.Second, least: 9, most: 11, ready: errDown, warnings: "the certificates could not be updated"},
		{reason: "another replica was first", interval: time.Hour, fails: always(conflict), after: 9 * time.Second, least: 4, most: 5, ready: conflict},
		{reason: "looks fail after one that did not", interval: time.Second, after: 10 * time.Second, least: 9, most: 11, warnings: "the certificates could not be updated", fails: func(look int) error {
			if look > 1 {
				return errDown
			}
			return nil
		}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				looks, logged := 0, new(bytes.Buffer)
				c := cluster(t, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
					if _, ok := o.(*corev1.Secret); ok {
						if looks++; test.fails != nil {
							if err := test.fails(looks); err != nil {
								return err
							}
						}
					}
					return c.Get(ctx, key, o, options...)
				}})
				m, err := certs.NewManaged(c, certs.ManagedOptions{
					Secret: secretName, CRDs: append([]string{"persons.crm.example.com"}, strings.Fields(test.crd)...), Names: []string{serverName},
					Interval: test.interval, Log: slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelWarn})),
				})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- m.Start(ctx) }()
				time.Sleep(test.after)
				synctest.Wait()
				if looks < test.least || looks > test.most {
					t.Errorf("%d looks in %s, want %d to %d", looks, test.after, test.least, test.most)
				}
				if err := m.Ready(); !errors.Is(err, test.ready) {
					t.Errorf("it is ready: %v, want %v", err, test.ready)
				}
				cancel()
				if err := <-ended; err != nil {
					t.Errorf("it ends with %v", err)
				}
				if text := logged.String(); (test.warnings == "") != (text == "") || !strings.Contains(text, test.warnings) {
					t.Errorf("it warns %q, want %q", text, test.warnings)
				}
				if strings.Contains(test.warnings, "waiting") && strings.Count(logged.String(), test.warnings) != 1 {
					t.Errorf("it says more than once that it waits:\n%s", logged)
				}
			})
		})
	}
}
