package conversion_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"

	"github.com/stratakube/strata/tools/testcluster/apiserver"
)

// ca signs the certificates of webhooks.
type ca struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newCA(t testing.TB, name string) *ca {
	t.Helper()
	key := newKey(t)
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: name}, key)
	if err != nil {
		t.Fatal(err)
	}
	return &ca{certificate, key}
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a *ca) pem() []byte { return encode(a.certificate.Raw) }

func encode(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: der})
}

// bundle is what trusts all of the CAs.
func bundle(cas ...*ca) []byte {
	var all [][]byte
	for _, a := range cas {
		all = append(all, a.pem())
	}
	return bytes.Join(all, nil)
}

// files are where a webhook reads its certificate.
type files struct{ cert, key string }

func filesIn(dir string) files {
	return files{filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")}
}

// certify writes a new certificate for loopback, and returns its serial number.
func (a *ca) certify(t testing.TB, f files) *big.Int {
	t.Helper()
	key := newKey(t)
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		NotBefore:    a.certificate.NotBefore, NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.ParseIP(apiserver.Loopback)},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		t.Fatal(err)
	}
	replace(t, f.cert, encode(der))
	replace(t, f.key, private)
	return serial
}

// replace writes a file that is there as a whole or not at all.
func replace(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}
