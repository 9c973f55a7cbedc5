package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"time"
)

// Source gives a server its certificate. Its methods are called by many goroutines at once.
type Source interface {
	// GetCertificate is for tls.Config. It fails while there is no certificate.
	GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error)
	// Start keeps the certificate good until ctx is done, and returns then. What fails meanwhile is logged and tried again.
	Start(ctx context.Context) error
	// Ready tells why clients could not connect; nil if they can.
	Ready() error
	// NotAfter is when the certificate expires; zero while there is none.
	NotAfter() time.Time
}

var errNone = errors.New("there is no certificate yet")

// expiry is the end of a certificate, or an error where it is over.
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
