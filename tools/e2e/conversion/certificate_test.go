package conversion_test

import (
	"math/big"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/tools/testcluster/ca"
)

func newCA(t testing.TB, name string) *ca.CA {
	t.Helper()
	c, err := ca.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// files are the files from which a webhook reads its certificate.
type files struct{ cert, key string }

func filesIn(dir string) files {
	return files{filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")}
}

// certify writes a new certificate of a CA, and returns its serial number.
func (f files) certify(t testing.TB, by *ca.CA) *big.Int {
	t.Helper()
	serial, err := by.WriteServer(f.cert, f.key)
	if err != nil {
		t.Fatal(err)
	}
	return serial
}
