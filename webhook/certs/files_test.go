package certs_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher/metrics"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/stratakube/strata/webhook/certs"
)

// made returns a certificate and its key as PEM, and when it expires.
func made(t *testing.T, clock *clock) (cert, key []byte, end time.Time) {
	t.Helper()
	c := cluster(t, interceptor.Funcs{})
	m := replica(t, c, clock)
	sync1(t, m)
	var secret corev1.Secret
	if err := c.Get(t.Context(), secretName, &secret); err != nil {
		t.Fatal(err)
	}
	return secret.Data["tls.crt"], secret.Data["tls.key"], m.NotAfter()
}

func put(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 3000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("never: %s", what)
}

// isRead waits until the watcher has tried and failed to read the pair that a file belongs to.
func isRead(t *testing.T, file string) {
	t.Helper()
	before := testutil.ToFloat64(metrics.ReadCertificateErrors)
	eventually(t, "the watcher reads "+file, func() bool {
		now := time.Now()
		if err := os.Chtimes(file, now, now); err != nil { // the watcher reads on this event too
			t.Fatal(err)
		}
		return testutil.ToFloat64(metrics.ReadCertificateErrors) > before
	})
}

func TestFilesAreReadWhenTheyChange(t *testing.T) {
	now := &clock{now: time.Now()}
	later := &clock{now: time.Now().Add(24 * time.Hour)}
	past := &clock{now: time.Now().Add(-300 * 24 * time.Hour)}
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	f := certs.NewFiles(cert, key, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.Start(ctx) }()
	if f.Ready() == nil || !f.NotAfter().IsZero() {
		t.Error("ready without a file")
	}
	if _, err := f.GetCertificate(nil); err == nil {
		t.Error("a certificate without a file")
	}
	firstCert, firstKey, first := made(t, now)
	put(t, key, firstKey)
	put(t, cert, firstCert)
	eventually(t, "the first", func() bool { return f.Ready() == nil && f.NotAfter().Equal(first) })
	secondCert, secondKey, second := made(t, later)
	put(t, cert, secondCert)
	isRead(t, cert)
	if got, err := f.GetCertificate(nil); err != nil || !bytes.Equal(got.Leaf.Raw, got.Certificate[0]) || !f.NotAfter().Equal(first) {
		t.Errorf("a certificate whose key is missing was taken: %v", err)
	}
	put(t, key, secondKey)
	eventually(t, "the second", func() bool { return f.NotAfter().Equal(second) })
	thirdCert, thirdKey, third := made(t, past)
	put(t, cert, thirdCert)
	put(t, key, thirdKey)
	eventually(t, "one that has expired", func() bool { return f.NotAfter().Equal(third) && f.Ready() != nil })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestFilesAreReadWithoutEvents changes the pair without an event of the file system: a link in the
// path leads to another folder, and the files of the first one stay as they are. The pair is read
// again after some seconds all the same.
func TestFilesAreReadWithoutEvents(t *testing.T) {
	if testing.Short() {
		t.Skip("short: waits for ten seconds")
	}
	t.Parallel()
	dir := t.TempDir()
	pair := func(folder string, at time.Time) (end time.Time) {
		t.Helper()
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		cert, key, end := made(t, &clock{now: at})
		put(t, filepath.Join(dir, folder, "tls.crt"), cert)
		put(t, filepath.Join(dir, folder, "tls.key"), key)
		return end
	}
	first, second := pair("first", time.Now()), pair("second", time.Now().Add(24*time.Hour))
	link := filepath.Join(dir, "current")
	if err := os.Symlink("first", link); err != nil {
		t.Fatal(err)
	}
	f := certs.NewFiles(filepath.Join(link, "tls.crt"), filepath.Join(link, "tls.key"), nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.Start(ctx) }()
	eventually(t, "the first", func() bool { return f.NotAfter().Equal(first) })
	time.Sleep(100 * time.Millisecond) // the watcher begins to watch
	if err := os.Symlink("second", link+"2"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(link+"2", link); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the second", func() bool { return f.NotAfter().Equal(second) })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
