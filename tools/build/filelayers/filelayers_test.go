package filelayers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/filelayers"
	"github.com/stratakube/strata/tools/build/modules"
)

// TestRuntime requires that the files of each package of the module runtime form layers.
func TestRuntime(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	circles, err := filelayers.Circles(t.Context(), filepath.Join(w.Root, "runtime"), "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range circles {
		t.Errorf("files use each other in a circle: %v\n\t%s", c, strings.Join(c.Uses, "\n\t"))
	}
}

func TestCircles(t *testing.T) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "circles.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := txtar.Write(a, dir); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", "off")
	got, err := filelayers.Circles(t.Context(), dir, "./...")
	if err != nil {
		t.Fatal(err)
	}
	want := []filelayers.Circle{
		{Package: "example.com/m/methods", Files: []string{"a.go", "b.go"}, Uses: []string{"a.go uses grow of b.go", "b.go uses Box of a.go"}},
		{
			Package: "example.com/m/three", Files: []string{"a.go", "b.go", "c.go"},
			Uses: []string{"a.go uses b, b2 of b.go", "b.go uses c of c.go", "c.go uses a of a.go"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCodeThatDoesNotCompile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "a.go": "package m\n\nvar x = missing\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	if _, err := filelayers.Circles(t.Context(), dir, "."); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("error %v", err)
	}
}
