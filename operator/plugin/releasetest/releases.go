package releasetest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/plugin/internal/releases"
)

// Release is a release of a project's kinds, as strata-plugin-kinds release has recorded it.
type Release struct {
	Name   string
	record string
}

// Releases returns the releases in a folder of the record, oldest first. The test fails if there is
// none.
func Releases(t testing.TB, folder string) (all []Release) {
	t.Helper()
	recorded, err := releases.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(recorded) == 0 {
		t.Fatalf("%s records no release", folder)
	}
	for _, r := range recorded {
		all = append(all, Release{Name: r.Release, record: folder})
	}
	return all
}

// Build builds the plugin of the release from its recorded sources, and returns the program.
// Requirements have the versions of that release. Those at v0.0.0 are unpublished, and come from
// the present module, which replaces them or has them in its workspace.
func (r Release) Build(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	pkg, err := releases.Unpack(r.record, r.Name, dir)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "plugin")
	args := []string{"build", "-ldflags=-s -w", "-o", program}
	if replaceUnpublished(t, dir) {
		args = append(args, "-mod=mod") // the present requirements of what is replaced
	}
	runGo(t, dir, append(args, pkg)...)
	return program
}

const unpublished = "v0.0.0"

// replaceUnpublished replaces unpublished requirements of a module by the present folders, and
// reports whether there are any.
func replaceUnpublished(t testing.TB, dir string) bool {
	t.Helper()
	var mod struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal([]byte(runGo(t, dir, "mod", "edit", "-json")), &mod); err != nil {
		t.Fatal(err)
	}
	var sums []byte
	for _, r := range mod.Require {
		if r.Version != unpublished {
			continue
		}
		present := exec.Command("go", "list", "-m", "-f={{.Dir}}", r.Path)
		out, err := present.Output()
		if err != nil {
			t.Fatalf("find %s, which is unpublished: %v", r.Path, err)
		}
		folder := strings.TrimSpace(string(out))
		runGo(t, dir, "mod", "edit", "-replace="+r.Path+"="+folder)
		more, err := os.ReadFile(filepath.Join(folder, "go.sum"))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, more...)
	}
	if sums == nil {
		return false
	}
	path := filepath.Join(dir, "go.sum")
	then, _ := os.ReadFile(path) // a module without other requirements has none
	if err := os.WriteFile(path, slices.Concat(then, sums), 0o600); err != nil {
		t.Fatal(err)
	}
	return true
}

// runGo runs the go command in a module, outside of any workspace.
func runGo(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
