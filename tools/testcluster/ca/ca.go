package ca

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"

	"github.com/stratakube/strata/tools/testcluster/loopback"
)

// CA signs certificates.
type CA struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// valid is how long a certificate is valid.
const valid = 365 * 24 * time.Hour

// New creates a CA with a key of its own.
func New(name string) (*CA, error) {
	key, err := newKey()
	if err != nil {
		return nil, fmt.Errorf("make CA: %w", err)
	}
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: name}, key)
	if err != nil {
		return nil, fmt.Errorf("make CA: %w", err)
	}
	return &CA{certificate, key}, nil
}

// Bundle returns the certificates of CAs, for a client that trusts all of them.
func Bundle(all ...*CA) []byte {
	var bundle [][]byte
	for _, c := range all {
		bundle = append(bundle, encode(c.certificate.Raw))
	}
	return bytes.Join(bundle, nil)
}

// Server certifies a server on loopback, under further DNS names.
func (c *CA) Server(names ...string) (certificate, key []byte, err error) {
	return c.sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "server on loopback"},
		DNSNames:    append([]string{"localhost"}, names...),
		IPAddresses: []net.IP{net.ParseIP(loopback.Address)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
}

// WriteServer certifies a server on loopback, writes the certificate and the key to files, and
// returns the serial number. A program that reads a file meanwhile gets all of it or nothing.
func (c *CA) WriteServer(certFile, keyFile string) (*big.Int, error) {
	chain, key, err := c.Server()
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return nil, fmt.Errorf("certify a server: %w", err)
	}
	return pair.Leaf.SerialNumber, errors.Join(replace(certFile, chain), replace(keyFile, key))
}

func replace(file string, text []byte) error {
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// User certifies a user in groups, in the form that Kubernetes reads.
func (c *CA) User(name string, groups ...string) (certificate, key []byte, err error) {
	return c.sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: name, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

func (c *CA) sign(template *x509.Certificate) (certificate, private []byte, err error) {
	key, err := newKey()
	if err != nil {
		return nil, nil, fmt.Errorf("certify %s: %w", template.Subject.CommonName, err)
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)); err != nil {
		return nil, nil, fmt.Errorf("certify %s: %w", template.Subject.CommonName, err)
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.NotBefore, template.NotAfter = c.certificate.NotBefore, time.Now().Add(valid)
	der, err := x509.CreateCertificate(rand.Reader, template, c.certificate, key.Public(), c.key)
	if err != nil {
		return nil, nil, fmt.Errorf("certify %s: %w", template.Subject.CommonName, err)
	}
	private, err = keyutil.MarshalPrivateKeyToPEM(key)
	return encode(der), private, err
}

func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

func encode(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: der})
}
