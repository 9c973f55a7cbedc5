package packages_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/packages"
)

const workspace = `
-- go.work --
go 1.26.0
use (
	./a
	./b
	./empty
)
-- a/go.mod --
module example.com/a
go 1.26.0
-- a/a.go --
package a
import _ "strings"
-- a/a_test.go --
package a
import (
	_ "os"
	"testing"
)
func TestMain(m *testing.M) {}
func TestA(t *testing.T) {}
func Testify() {}
func BenchmarkB(b *testing.B) {}
func Benchmark(b *testing.B) {}
-- a/x_test.go --
package a_test
import (
	_ "example.com/a"
	_ "os"
	"testing"
)
type T struct{}
func (T) FuzzMethod() {}
func Fuzz_x(f *testing.F) {}
-- a/other_windows_test.go --
package a
func BenchmarkElsewhere() {}
-- a/testdata/t.go --
package t
-- b/go.mod --
module example.com/b
go 1.26.0
-- b/deep/b.go --
package deep
-- empty/go.mod --
module example.com/empty
go 1.26.0
`

func TestList(t *testing.T) {
	t.Setenv("GOOS", "linux")
	var got []string
	for _, p := range list(t) {
		got = append(got, p.ImportPath+": "+strings.Join(p.Imports, " ")+" | "+strings.Join(p.OfTests(), " "))
	}
	want := []string{"example.com/a: strings | example.com/a os testing", "example.com/b/deep:  | "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFilesAreThoseOfAllSystems(t *testing.T) {
	t.Setenv("GOOS", "linux")
	var got []string
	for _, path := range list(t)[0].Files() {
		got = append(got, filepath.Base(path))
	}
	want := []string{"a.go", "other_windows_test.go", "a_test.go", "x_test.go"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFunctions(t *testing.T) {
	t.Setenv("GOOS", "linux")
	tests := []struct {
		kind string
		want []string
	}{
		{"Test", []string{"TestA"}},
		{"Benchmark", []string{"Benchmark", "BenchmarkB"}},
		{"Fuzz", []string{"Fuzz_x"}},
	}
	a := list(t)[0]
	for _, test := range tests {
		got, err := a.Functions(test.kind)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s functions are %q (error %v), want %q", test.kind, got, err, test.want)
		}
	}
	if err := os.WriteFile(filepath.Join(a.Dir, "a_test.go"), []byte("package a\nfunc ("), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Functions("Test"); err == nil || !strings.Contains(err.Error(), "a_test.go:2:7") {
		t.Errorf("error = %v, want the place in the file", err)
	}
}

func list(t *testing.T) []packages.Package {
	t.Helper()
	root := t.TempDir()
	if err := txtar.Write(txtar.Parse([]byte(workspace)), root); err != nil {
		t.Fatal(err)
	}
	w, err := modules.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	all, err := packages.List(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
