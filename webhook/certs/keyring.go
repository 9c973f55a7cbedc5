package certs

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"slices"
	"time"
)

// The members of the Secret.
const (
	authoritiesKey = "ca.crt"  // all authorities that must be trusted, the newest first
	signerKey      = "ca.key"  // the key of the newest
	servingKey     = "tls.crt" // what all replicas serve with
	servingKeyKey  = "tls.key"
)

// keyring is what the Secret holds, as far as it can be read.
type keyring struct {
	authorities []*x509.Certificate
	signer      *ecdsa.PrivateKey // of the first authority; nil if it is not its key
	serving     *tls.Certificate  // nil if it cannot be used
	servingPEM  []byte
	servingKey  []byte
}

func readKeyring(data map[string][]byte) *keyring {
	k := &keyring{authorities: readCertificates(data[authoritiesKey]), servingPEM: data[servingKey], servingKey: data[servingKeyKey]}
	if block, _ := pem.Decode(data[signerKey]); block != nil && len(k.authorities) > 0 {
		if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil && key.PublicKey.Equal(k.authorities[0].PublicKey) {
			k.signer = key
		}
	}
	if serving, err := tls.X509KeyPair(k.servingPEM, k.servingKey); err == nil {
		k.serving = &serving
	}
	return k
}

// readCertificates reads what it can.
func readCertificates(data []byte) []*x509.Certificate {
	var all []*x509.Certificate
	for {
		block, rest := pem.Decode(data)
		if block == nil {
			return all
		}
		if cert, err := x509.ParseCertificate(block.Bytes); err == nil {
			all = append(all, cert)
		}
		data = rest
	}
}

// bundle is what clients must trust.
func (k *keyring) bundle() []byte {
	var out []byte
	for _, authority := range k.authorities {
		out = append(out, certPEM(authority)...)
	}
	return out
}

// write returns the members of a Secret, others that it has among them.
func (k *keyring) write(into map[string][]byte, signer []byte) map[string][]byte {
	if into == nil {
		into = map[string][]byte{}
	}
	into[authoritiesKey], into[servingKey], into[servingKeyKey] = k.bundle(), k.servingPEM, k.servingKey
	if signer != nil {
		into[signerKey] = signer
	}
	return into
}

// policy says how long things live, and for which names.
type policy struct {
	names              []string
	authority, serving time.Duration
}

// next brings a keyring to where it should be now. Introduced tells that the newest authority is trusted everywhere. It
// reports whether anything changed, and returns a new authority's key, if there is one.
func (p policy) next(k *keyring, now time.Time, introduced bool) (changed bool, signer []byte, err error) {
	before := len(k.authorities)
	k.authorities = slices.DeleteFunc(k.authorities, func(a *x509.Certificate) bool { return now.After(a.NotAfter) })
	changed = len(k.authorities) < before
	if k.signer == nil || len(k.authorities) == 0 || isLate(k.authorities[0], now) {
		made, err := newAuthority(now, p.authority)
		if err != nil {
			return false, nil, err
		}
		k.authorities = slices.Insert(k.authorities, 0, made.cert)
		k.signer, signer, changed, introduced = made.key, made.keyPEM, true, false
	}
	if !p.mustSign(k, now, introduced) {
		return changed, signer, nil
	}
	made, err := newServing(&pair{cert: k.authorities[0], key: k.signer}, p.names, now, p.serving)
	if err != nil {
		return false, nil, err
	}
	k.servingPEM, k.servingKey = made.certPEM, made.keyPEM
	k.serving = &tls.Certificate{Certificate: [][]byte{made.cert.Raw}, PrivateKey: made.key, Leaf: made.cert}
	return true, signer, nil
}

// mustSign reports whether the keyring needs another serving certificate. One of an older authority is good until the new one
// is introduced, whatever else is wrong with it, as long as it serves at all.
func (p policy) mustSign(k *keyring, now time.Time, introduced bool) bool {
	signer := k.signerOf(k.serving)
	switch {
	case signer == nil || now.After(k.serving.Leaf.NotAfter):
		return true
	case signer != k.authorities[0]:
		return introduced
	default:
		return isLate(k.serving.Leaf, now) || !p.isFor(k.serving.Leaf)
	}
}

// signerOf returns which authority has signed a certificate; nil if none has.
func (k *keyring) signerOf(serving *tls.Certificate) *x509.Certificate {
	if serving == nil {
		return nil
	}
	for _, authority := range k.authorities {
		if serving.Leaf.CheckSignatureFrom(authority) == nil {
			return authority
		}
	}
	return nil
}

func (p policy) isFor(leaf *x509.Certificate) bool {
	for _, name := range p.names {
		if leaf.VerifyHostname(name) != nil {
			return false
		}
	}
	return true
}

// isLate reports whether two thirds of a certificate's life are over.
func isLate(cert *x509.Certificate, now time.Time) bool {
	life := cert.NotAfter.Sub(cert.NotBefore)
	return now.After(cert.NotAfter.Add(-life / 3))
}

// holds reports whether a bundle has a certificate.
func holds(bundle []byte, cert *x509.Certificate) bool {
	return slices.ContainsFunc(readCertificates(bundle), func(c *x509.Certificate) bool { return bytes.Equal(c.Raw, cert.Raw) })
}
