package apiserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// authority is the CA that signs the certificates of a cluster: that of its server, and those by
// which it knows its users. It lives in memory only.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

const (
	authorityFile  = "authority.crt"
	servingFile    = "server.crt"
	servingKeyFile = "server.key"
	accountKeyFile = "accounts.key"

	valid = 365 * 24 * time.Hour
)

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make CA: %w", err)
	}
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: "strata-cluster"}, key)
	if err != nil {
		return nil, fmt.Errorf("make CA: %w", err)
	}
	return &authority{certificate, key}, nil
}

func (a *authority) pem() []byte { return encode(a.certificate.Raw) }

func encode(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: der})
}

// server certifies who serves on loopback.
func (a *authority) server() (certificate, key []byte, err error) {
	return a.sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		DNSNames:    []string{"localhost", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.ParseIP(Loopback)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
}

// user certifies a user in groups, the way Kubernetes reads it.
func (a *authority) user(name string, groups []string) (certificate, key []byte, err error) {
	return a.sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: name, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

func (a *authority) sign(template *x509.Certificate) (certificate, private []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("certify %s: %w", template.Subject.CommonName, err)
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)); err != nil {
		return nil, nil, fmt.Errorf("certify %s: %w", template.Subject.CommonName, err)
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.NotBefore, template.NotAfter = a.certificate.NotBefore, time.Now().Add(valid)
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return nil, nil, fmt.Errorf("certify %s: %w", template.Subject.CommonName, err)
	}
	private, err = keyutil.MarshalPrivateKeyToPEM(key)
	return encode(der), private, err
}

// writeCertificates writes what the server reads.
func (c *Cluster) writeCertificates() error {
	serving, servingKey, err := c.authority.server()
	if err != nil {
		return err
	}
	_, accountKey, err := c.authority.user("accounts", nil)
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		authorityFile: c.authority.pem(), servingFile: serving, servingKeyFile: servingKey, accountKeyFile: accountKey,
	} {
		if err := c.write(name, text); err != nil {
			return fmt.Errorf("write certificates: %w", err)
		}
	}
	return nil
}
