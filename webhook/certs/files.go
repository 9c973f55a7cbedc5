package certs

import (
	"context"
	"crypto/tls"
	"log/slog"
	"sync/atomic"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
)

// Files reads a certificate from files, and again when they change. While they are missing or do
// not match, it uses the previous one.
type Files struct {
	cert, key string
	log       *slog.Logger
	interval  time.Duration
	watcher   atomic.Pointer[certwatcher.CertWatcher]
}

// NewFiles makes a source of the certificate chain and the key in two PEM files. The files need not
// exist yet.
func NewFiles(cert, key string, log *slog.Logger) *Files {
	return &Files{cert: cert, key: key, log: orDiscard(log), interval: 10 * time.Second}
}

func orDiscard(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}

// Start waits for the files, and then watches them.
func (f *Files) Start(ctx context.Context) error {
	for {
		watcher, err := certwatcher.New(f.cert, f.key)
		if err == nil {
			f.watcher.Store(watcher)
			if err = watcher.WithWatchInterval(f.interval).Start(ctx); ctx.Err() != nil {
				return nil
			}
		}
		f.log.WarnContext(ctx, "the certificate cannot be read", "cert", f.cert, "key", f.key, "error", err)
		if !sleep(ctx, time.Second) {
			return nil
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// GetCertificate returns the certificate that was read last.
func (f *Files) GetCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	watcher := f.watcher.Load()
	if watcher == nil {
		return nil, errNone
	}
	return watcher.GetCertificate(hello)
}

func (f *Files) current() *tls.Certificate {
	certificate, err := f.GetCertificate(nil)
	if err != nil {
		return nil
	}
	return certificate
}

// Ready reports whether there is a certificate that has not expired.
func (f *Files) Ready() error { return expiry(f.current(), time.Now()) }

// NotAfter returns when the certificate expires.
func (f *Files) NotAfter() time.Time { return notAfter(f.current()) }
