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

// TestRuntime compares the circles of the module runtime with circles.txt, which has no line more
// than there are.
func TestRuntime(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	circles, err := filelayers.Circles(t.Context(), filepath.Join(w.Root, "runtime"), "./...")
	if err != nil {
		t.Fatal(err)
	}
	accepted := accepted(t)
	for _, c := range circles {
		line := strings.TrimPrefix(c.String(), "github.com/stratakube/strata/")
		if !accepted[line] {
			t.Errorf("files use each other in a circle: %s\n\t%s", line, strings.Join(c.Uses, "\n\t"))
		}
		delete(accepted, line)
	}
	for line := range accepted {
		t.Errorf("circles.txt has %q, which is no circle: remove the line", line)
	}
}

// accepted reads the lines of circles.txt.
func accepted(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("circles.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			lines[strings.TrimSpace(line)] = true
		}
	}
	return lines
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
