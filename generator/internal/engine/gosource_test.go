package engine_test

import (
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/cli"
)

// TestGoSource generates from packages that authors may write, and runs the generated tests.
func TestGoSource(t *testing.T) {
	long(t)
	proves(t, "testdata/gosource/*.txtar")
}

// proves generates from each archive with every configuration in it, and runs the generated
// tests.
func proves(t *testing.T, pattern string) {
	if testing.Short() {
		t.Skip("short: compiles much")
	}
	archives, err := filepath.Glob(pattern)
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, f := range archive.Files {
				write(t, dir, f.Name, string(f.Data))
			}
			module(t, dir)
			t.Setenv("GOWORK", "off")
			t.Setenv("GOFLAGS", "-mod=mod -trimpath")
			configs, _ := filepath.Glob(filepath.Join(dir, "*.yaml"))
			for _, config := range configs {
				if code, _, errs := generate(t.Context(), config); code != cli.Done {
					t.Fatalf("exit code %d: %s", code, errs)
				}
			}
			outputs, _ := filepath.Glob(filepath.Join(dir, "api*"))
			if len(outputs) != len(configs) {
				t.Fatalf("%d outputs of %d configurations", len(outputs), len(configs))
			}
			var patterns []string
			for _, output := range outputs {
				isFormatted(t, output)
				patterns = append(patterns, "./"+filepath.Base(output)+"/...")
			}
			for _, file := range goFiles(t, dir, func(path string) bool { return filepath.Base(path) == augmentation.File }) {
				isGofmt(t, file)
			}
			goTool(t, dir, append([]string{"vet"}, patterns...)...)
			goTool(t, dir, append([]string{"test", "-vet=off"}, patterns...)...)
		})
	}
}

// isFormatted checks that gofmt leaves generated files as they are.
func isFormatted(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		isGofmt(t, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func isGofmt(t *testing.T, path string) {
	t.Helper()
	body := contentsOf(t, path)
	if formatted, err := format.Source([]byte(body)); err != nil || string(formatted) != body {
		t.Errorf("gofmt does not leave %s as it is: %v", path, err)
	}
}

// module makes a module of the folder that requires what generated code does.
func module(t *testing.T, dir string) {
	t.Helper()
	runtime, err := filepath.Abs("../../../runtime")
	if err != nil {
		t.Fatal(err)
	}
	api := filepath.Join(runtime, "../operator/api")
	_, requirements, _ := strings.Cut(contentsOf(t, filepath.Join(api, "go.mod")), "\n")
	mod := "module example.com/shop\n" + requirements
	if !strings.Contains(mod, "replace ") {
		mod += "\nreplace github.com/stratakube/strata/runtime => " + runtime + "\n"
	}
	write(t, dir, "go.mod", mod)
	write(t, dir, "go.sum", contentsOf(t, filepath.Join(api, "go.sum")))
}

func contentsOf(t *testing.T, path string) string {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func goTool(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
