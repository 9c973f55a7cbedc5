package emit_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesCompile checks that the files of all cases compile, and that the conversions in them
// pass the tests that come with them.
func TestFilesCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("short: compiles much")
	}
	dir := t.TempDir()
	testModule(t, dir)
	for _, s := range cases(t) {
		for _, f := range s.files(2) {
			write(t, filepath.Join(dir, s.name, filepath.FromSlash(f.Path)), f.Body)
		}
	}
	goTool(t, dir, "test", "./...")
}

// testModule makes a module of the folder, with the requirements of the repository's
// own generated API and the runtime next door.
func testModule(t *testing.T, dir string) {
	t.Helper()
	runtime, err := filepath.Abs("../../../runtime")
	if err != nil {
		t.Fatal(err)
	}
	_, requirements, _ := strings.Cut(read(t, "../../../operator/api/go.mod"), "\n")
	mod := "module " + proofModule + "\n" + requirements
	if !strings.Contains(mod, "replace ") {
		mod += "\nreplace github.com/stratakube/strata/runtime => " + runtime + "\n"
	}
	write(t, filepath.Join(dir, "go.mod"), []byte(mod))
	write(t, filepath.Join(dir, "go.sum"), []byte(read(t, "../../../operator/api/go.sum")))
}

func goTool(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -trimpath") // -trimpath: compiled once, wherever the folder is
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func write(t *testing.T, path string, body []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, body, 0o644); err != nil {
		t.Fatal(err)
	}
}
