package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"time"
)

// Source provides a server with its certificate. Its methods are safe for concurrent use.
type Source interface {
	// GetCertificate implements the function of tls.Config. It fails while there is no certificate.
	GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error)
	// Start keeps the certificate valid until ctx is done, and then returns. It logs errors and
	// tries again.
	Start(ctx context.Context) error
	// Ready returns the reason why clients could not connect; nil if they can.
	Ready() error
	// NotAfter returns when the certificate expires; zero while there is none.
	NotAfter() time.Time
}

var errNone = errors.New("there is no certificate yet")

// expiry returns an error if there is no certificate or it has expired.
func expiry(certificate *tls.Certificate, now time.Time) error {
	switch end := notAfter(certificate); {
	case end.IsZero():
		return errNone
	case now.After(end):
		return errors.New("the certificate has expired")
	default:
		return nil
	}
}

func notAfter(certificate *tls.Certificate) time.Time {
	if certificate == nil || certificate.Leaf == nil {
		return time.Time{}
	}
	return certificate.Leaf.NotAfter
}
