package binaries

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/stratakube/strata/tools/build/modules"
)

func TestChangesOfCacheKeys(t *testing.T) {
	tests := []struct {
		reason string
		change func(t *testing.T, module string) (how []string)
		isSame bool
	}{
		{reason: "nothing has changed", isSame: true},
		{reason: "another Go, system or flag builds other programs", change: func(*testing.T, string) []string { return []string{"go1.27", "linux"} }},
		{reason: "words are told apart", change: func(*testing.T, string) []string { return []string{"go1.26linux"} }},
		{reason: "a version that go.mod pins has changed", change: func(t *testing.T, module string) []string {
			write(t, filepath.Join(module, "go.mod"), "module example.com/other\n")
			return nil
		}},
		{reason: "a sum in go.sum has changed", change: func(t *testing.T, module string) []string {
			write(t, filepath.Join(module, "go.sum"), "example.com/x v1.0.0 h1:x=\n")
			return nil
		}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			module, usual := testModule(t), []string{"go1.26", "linux"}
			before := mustKey(t, module, usual)
			how := usual
			if test.change != nil {
				if changed := test.change(t, module); changed != nil {
					how = changed
				}
			}
			if after := mustKey(t, module, how); (after == before) != test.isSame {
				t.Errorf("the key was %s and is %s", before, after)
			}
		})
	}
}

func mustKey(t *testing.T, module string, how []string) string {
	t.Helper()
	k, err := key(module, how)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestProgramsThatUserGives(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // where there is no workspace
	t.Setenv(Variable, dir)
	for _, p := range []Program{Etcd, APIServer} {
		write(t, Folder(dir).Path(p), "")
	}
	silent := func(line string) { t.Errorf("reported %q", line) }

	if got, err := Build(t.Context(), silent, Etcd, APIServer); err != nil || got != Folder(dir) {
		t.Errorf("the programs are in %s (%v), want the folder that the user gives", got, err)
	}
	want := Variable + " names " + dir + ", which does not hold kubectl"
	if _, err := Build(t.Context(), silent, Server...); err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}

func TestModuleWithoutKubernetes(t *testing.T) {
	module := testModule(t)
	write(t, filepath.Join(module, "go.mod"), "module example.com/other\n")
	if _, err := read(t.Context(), module); err == nil || !strings.HasSuffix(err.Error(), "does not require k8s.io/kubernetes") {
		t.Errorf("error = %v", err)
	}
}

// TestPins checks that the committed module names all programs as its tools, and that
// Kubernetes's own libraries are those of its version.
func TestPins(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modules.ReadMod(filepath.Join(w.Root, "tools", "testcluster", "binaries", "kubernetes"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append([]Program{ControllerManager}, Server...) {
		if !isTool(mod, p.path) {
			t.Errorf("%s is no tool of tools/testcluster/binaries/kubernetes", p.path)
		}
	}
	version, err := kubernetes(mod)
	if err != nil {
		t.Fatal(err)
	}
	want := "v0" + strings.TrimPrefix(version, semver.Major(version))
	for _, r := range mod.Replace {
		if r.Old.Path != r.New.Path || r.Old.Version != "" || r.New.Version != want {
			t.Errorf("%s is replaced by %s, want %s of itself", r.Old.Path, r.New, want)
		}
	}
}

// TestPinOfHelm checks that its committed module names Helm as a tool.
func TestPinOfHelm(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modules.ReadMod(filepath.Join(w.Root, "tools", "testcluster", "binaries", "helm"))
	if err != nil {
		t.Fatal(err)
	}
	if !isTool(mod, helm) {
		t.Errorf("%s is no tool of tools/testcluster/binaries/helm", helm)
	}
}

func isTool(mod *modfile.File, path string) bool {
	for _, tool := range mod.Tool {
		if tool.Path == path {
			return true
		}
	}
	return false
}
