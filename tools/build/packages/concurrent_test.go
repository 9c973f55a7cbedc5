package packages_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/packages"
)

// starting are tests that start goroutines, or do not.
const starting = `
-- p.go --
package p
type pool struct{}
func (p pool) fill() { go func() {}() }
func alone() {}
-- p_test.go --
package p
func TestMain(m *testing.M) { go m.Run() }
func TestItself(t *testing.T) { t.Run("", func(t *testing.T) { go alone() }) }
func TestProduct(t *testing.T) { new(pool).fill() }
func TestMethodThatInterfaceCalls(t *testing.T) { _ = filler(pool{}) }
func TestFunction(t *testing.T) { outer() }
func outer() { inner() }
func inner() { var g sync.WaitGroup; g.Go(alone) }
func TestVariable(t *testing.T) { table[0]() }
var table = []func(){inner}
func TestTimer(t *testing.T) { time.AfterFunc(0, alone) }
func TestBesideOthers(t *testing.T) { t.Parallel() }
func TestNothing(t *testing.T) { alone() }
-- x_test.go --
package p_test
func TestServer(t *testing.T) { httptest.NewServer(nil) }
func TestBubble(t *testing.T) { synctest.Test(t, nil) }
func TestName(t *testing.T) { _ = "go" }
`

func TestConcurrent(t *testing.T) {
	p := packages.Package{Dir: t.TempDir(), GoFiles: []string{"p.go"}, TestGoFiles: []string{"p_test.go"}, XTestGoFiles: []string{"x_test.go"}}
	if err := txtar.Write(txtar.Parse([]byte(starting)), p.Dir); err != nil {
		t.Fatal(err)
	}
	got, err := p.Concurrent()
	want := []string{
		"TestBesideOthers", "TestBubble", "TestFunction", "TestItself", "TestMethodThatInterfaceCalls",
		"TestProduct", "TestServer", "TestTimer", "TestVariable",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("tests that start goroutines are\n%q, want\n%q (error %v)", got, want, err)
	}
	if err := os.WriteFile(filepath.Join(p.Dir, "p.go"), []byte("package p\nfunc ("), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Concurrent(); err == nil || !strings.Contains(err.Error(), "p.go:2:7") {
		t.Errorf("error = %v, want the place in the file", err)
	}
}
