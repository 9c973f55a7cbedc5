package ca_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/tools/testcluster/ca"
	"github.com/stratakube/strata/tools/testcluster/loopback"
)

func TestServer(t *testing.T) {
	one, other := open(t, "one"), open(t, "other")
	chain, key, err := one.Server("kubernetes.default.svc")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{loopback.Address, "localhost", "kubernetes.default.svc"} {
		for reason, test := range map[string]struct {
			bundle  []byte
			trusted bool
		}{
			"the CA":              {ca.Bundle(one), true},
			"a bundle with it":    {ca.Bundle(other, one), true},
			"a bundle without it": {ca.Bundle(other), false},
		} {
			_, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: pool(t, test.bundle)})
			if (err == nil) != test.trusted {
				t.Errorf("%s: a client that trusts %s: %v", name, reason, err)
			}
		}
	}
}

func TestUser(t *testing.T) {
	one := open(t, "one")
	chain, _, err := one.User("ann", "readers", "writers")
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(chain)
	user, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if user.Subject.CommonName != "ann" || len(user.Subject.Organization) != 2 {
		t.Errorf("the user is %v", user.Subject)
	}
	for usage, allowed := range map[x509.ExtKeyUsage]bool{x509.ExtKeyUsageClientAuth: true, x509.ExtKeyUsageServerAuth: false} {
		_, err := user.Verify(x509.VerifyOptions{Roots: pool(t, ca.Bundle(one)), KeyUsages: []x509.ExtKeyUsage{usage}})
		if (err == nil) != allowed {
			t.Errorf("usage %v: %v", usage, err)
		}
	}
}

func TestWriteServer(t *testing.T) {
	one := open(t, "one")
	chain, key := filepath.Join(t.TempDir(), "tls.crt"), filepath.Join(t.TempDir(), "tls.key")
	var serials []string
	for range 2 {
		serial, err := one.WriteServer(chain, key)
		if err != nil {
			t.Fatal(err)
		}
		pair, err := tls.LoadX509KeyPair(chain, key)
		if err != nil || pair.Leaf.SerialNumber.Cmp(serial) != 0 {
			t.Errorf("the files have the certificate %v, want %v (%v)", pair.Leaf.SerialNumber, serial, err)
		}
		serials = append(serials, serial.String())
	}
	if serials[0] == serials[1] {
		t.Error("both certificates have the same serial number")
	}
	if _, err := one.WriteServer(filepath.Join(t.TempDir(), "gone", "tls.crt"), key); err == nil {
		t.Error("a file in a folder that does not exist was written")
	}
}

func open(t *testing.T, name string) *ca.CA {
	t.Helper()
	c, err := ca.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func pool(t *testing.T, bundle []byte) *x509.CertPool {
	t.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(bundle) {
		t.Fatalf("no certificates: %s", bundle)
	}
	return roots
}
