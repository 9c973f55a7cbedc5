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

// The keys of the Secret's data.
const (
	caKey         = "ca.crt"  // all CAs that clients must trust, the newest first
	caPrivateKey  = "ca.key"  // the key of the newest CA
	servingKey    = "tls.crt" // the certificate of all replicas
	servingKeyKey = "tls.key"
)

// keyring is the content of the Secret, as far as it can be read.
type keyring struct {
	cas        []*x509.Certificate
	signer     *ecdsa.PrivateKey // of the first CA; nil if the key does not match it
	serving    *tls.Certificate  // nil if it cannot be used
	servingPEM []byte
	servingKey []byte
}

func readKeyring(data map[string][]byte) *keyring {
	k := &keyring{cas: readCertificates(data[caKey]), servingPEM: data[servingKey], servingKey: data[servingKeyKey]}
	if block, _ := pem.Decode(data[caPrivateKey]); block != nil && len(k.cas) > 0 {
		if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil && key.PublicKey.Equal(k.cas[0].PublicKey) {
			k.signer = key
		}
	}
	if serving, err := tls.X509KeyPair(k.servingPEM, k.servingKey); err == nil {
		k.serving = &serving
	}
	return k
}

// readCertificates reads PEM certificates, and skips blocks that it cannot parse.
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

// bundle returns the CAs that clients must trust.
func (k *keyring) bundle() []byte {
	var out []byte
	for _, ca := range k.cas {
		out = append(out, certPEM(ca)...)
	}
	return out
}

// write sets the data of a Secret, and preserves other keys.
func (k *keyring) write(into map[string][]byte, signer []byte) map[string][]byte {
	if into == nil {
		into = map[string][]byte{}
	}
	into[caKey], into[servingKey], into[servingKeyKey] = k.bundle(), k.servingPEM, k.servingKey
	if signer != nil {
		into[caPrivateKey] = signer
	}
	return into
}

// policy sets the names of certificates and how long they are valid.
type policy struct {
	names               []string
	caLife, servingLife time.Duration
}

// next brings a keyring to its state at a time. introduced reports that all CRDs have trusted the
// newest CA for long enough. It reports whether anything changed, and returns the key of a new CA,
// if there is one.
func (p policy) next(k *keyring, now time.Time, introduced bool) (changed bool, signer []byte, err error) {
	before := len(k.cas)
	k.cas = slices.DeleteFunc(k.cas, func(a *x509.Certificate) bool { return now.After(a.NotAfter) })
	changed = len(k.cas) < before
	if k.signer == nil || len(k.cas) == 0 || isLate(k.cas[0], now) {
		made, err := newCA(now, p.caLife)
		if err != nil {
			return false, nil, err
		}
		k.cas = slices.Insert(k.cas, 0, made.cert)
		k.signer, signer, changed, introduced = made.key, made.keyPEM, true, false
	}
	if !p.mustSign(k, now, introduced) {
		return changed, signer, nil
	}
	made, err := newServing(&pair{cert: k.cas[0], key: k.signer}, p.names, now, p.servingLife)
	if err != nil {
		return false, nil, err
	}
	k.servingPEM, k.servingKey = made.certPEM, made.keyPEM
	k.serving = &tls.Certificate{Certificate: [][]byte{made.cert.Raw}, PrivateKey: made.key, Leaf: made.cert}
	return true, signer, nil
}

// mustSign reports whether the keyring needs another serving certificate. One that an older CA
// signed is good until the new CA is introduced, as long as it has not expired.
func (p policy) mustSign(k *keyring, now time.Time, introduced bool) bool {
	signer := k.signerOf(k.serving)
	switch {
	case signer == nil || now.After(k.serving.Leaf.NotAfter):
		return true
	case signer != k.cas[0]:
		return introduced
	default:
		return isLate(k.serving.Leaf, now) || !p.isFor(k.serving.Leaf)
	}
}

// signerOf returns the CA that signed a certificate; nil if none did.
func (k *keyring) signerOf(serving *tls.Certificate) *x509.Certificate {
	if serving == nil {
		return nil
	}
	for _, ca := range k.cas {
		if serving.Leaf.CheckSignatureFrom(ca) == nil {
			return ca
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

// contains reports whether a bundle has a certificate.
func contains(bundle []byte, cert *x509.Certificate) bool {
	return slices.ContainsFunc(readCertificates(bundle), func(c *x509.Certificate) bool { return bytes.Equal(c.Raw, cert.Raw) })
}
