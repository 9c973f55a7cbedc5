package consumer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
)

func TestModuleThatRequiresOnlyRuntime(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds the runtime once more")
	}
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := pack.Cached(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	env, err := proxy.Environ(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	consumer := command.In{Dir: copyModule(t, w, proxy), Env: env}

	printed, err := consumer.Output(t.Context(), "go", "run", "-mod=mod", ".")
	if err != nil {
		t.Fatal(err)
	}
	if want := "<nil> /groups/crm \"Ada\"\nv1\n"; printed != want {
		t.Errorf("the module printed %q, want %q", printed, want)
	}
	if used := siblingsUsed(t, consumer, w); used != "github.com/stratakube/strata/runtime" {
		t.Errorf("the module was built with %s, want the runtime alone", used)
	}
	if engines := enginesUsed(t, consumer); engines != nil {
		t.Errorf("the module was built with %s, want no engine of conversions", engines)
	}
}

// copyModule copies the module to a folder of its own, with a requirement of the packed runtime. It
// takes the checksums from the runtime, so that no server has to be asked for them.
func copyModule(t *testing.T, w *modules.Workspace, proxy *pack.Proxy) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "module"))); err != nil {
		t.Fatal(err)
	}
	mod, err := modules.ReadMod(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := proxy.Require(mod); err != nil {
		t.Fatal(err)
	}
	data, err := mod.Format()
	if err != nil {
		t.Fatal(err)
	}
	runtime, err := w.Module("runtime")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(runtime.Dir, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), data)
	write(t, filepath.Join(dir, "go.sum"), append(sums, proxy.Sums()...))
	return dir
}

// siblingsUsed lists the modules of the workspace that the outside module was built with.
func siblingsUsed(t *testing.T, consumer command.In, w *modules.Workspace) string {
	t.Helper()
	listed, err := consumer.Output(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
	if err != nil {
		t.Fatal(err)
	}
	var used []string
	for _, m := range w.Modules {
		if strings.Contains("\n"+listed, "\n"+m.Path+"\n") {
			used = append(used, m.Path)
		}
	}
	return strings.Join(used, " ")
}

// enginesUsed lists the packages below runtime that the outside module was built with, but for the
// two small ones that package runtime itself needs.
func enginesUsed(t *testing.T, consumer command.In) (engines []string) {
	t.Helper()
	listed, err := consumer.Output(t.Context(), "go", "list", "-deps", ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(listed) {
		rest, below := strings.CutPrefix(path, "github.com/stratakube/strata/runtime/")
		if below && rest != "internal/counting" && rest != "internal/label" {
			engines = append(engines, rest)
		}
	}
	return engines
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
