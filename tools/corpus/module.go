package corpus

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
)

// Module is a project with a go.mod beside its strata.yaml. It stays in the user's cache folder,
// so that a later run repeats unchanged work from the cache only.
type Module struct{ Project }

// OpenModule returns the module of that name, with the files of earlier runs. It requires the
// module of the project, with its requirements, and replaces the workspace's own modules by their
// folders. No other process can open it until the caller calls closing, or the process ends.
func OpenModule(w *modules.Workspace, name string, p Project) (m Module, closing func(), err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return m, nil, fmt.Errorf("find cache folder: %w", err)
	}
	p.Dir = filepath.Join(cache, "strata", "corpus", name)
	m = Module{p}
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		return m, nil, fmt.Errorf("open module: %w", err)
	}
	closing, err = lockedfile.MutexAt(p.Dir + ".lock").Lock()
	if err != nil {
		return m, nil, fmt.Errorf("open module: %w", err)
	}
	if err := m.set(w); err != nil {
		closing()
		return m, nil, err
	}
	return m, closing, nil
}

// set writes go.mod and go.sum, and the configuration.
func (m Module) set(w *modules.Workspace) error {
	pattern, err := w.Module(cmp.Or(m.Like, "operator/api"))
	if err != nil {
		return err
	}
	mod, err := modules.ReadMod(pattern.Dir)
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(pattern.Dir, "go.sum"))
	if err != nil {
		return fmt.Errorf("set module up: %w", err)
	}
	if err := mod.AddModuleStmt(ModulePath); err != nil {
		return fmt.Errorf("set module up: %w", err)
	}
	if err := mod.AddRequire(pattern.Path, modules.Unpublished); err != nil {
		return fmt.Errorf("set module up: %w", err)
	}
	for _, sibling := range append(pattern.Siblings, pattern.Path) {
		if err := mod.AddReplace(sibling, "", folderOf(w, sibling), ""); err != nil {
			return fmt.Errorf("set module up: %w", err)
		}
	}
	text, err := mod.Format()
	if err != nil {
		return fmt.Errorf("set module up: %w", err)
	}
	if err := m.WriteNew("go.mod", text); err != nil {
		return err
	}
	if err := m.WriteNew("go.sum", sums); err != nil {
		return err
	}
	return m.Write()
}

func folderOf(w *modules.Workspace, path string) string {
	for _, m := range w.Modules {
		if m.Path == path {
			return m.Dir
		}
	}
	return ""
}

// WriteNew writes a file below the module, unless it is there already.
func (m Module) WriteNew(name string, body []byte) error {
	file := filepath.Join(m.Dir, filepath.FromSlash(name))
	if there, err := os.ReadFile(file); err == nil && bytes.Equal(there, body) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("write file of module: %w", err)
	}
	if err := os.WriteFile(file, body, 0o644); err != nil {
		return fmt.Errorf("write file of module: %w", err)
	}
	return nil
}

// WriteFolder makes files the only ones in a folder below the module, and leaves folders in it as
// they are.
func (m Module) WriteFolder(folder string, files map[string][]byte) error {
	for name, body := range files {
		if err := m.WriteNew(folder+"/"+name, body); err != nil {
			return err
		}
	}
	dir := filepath.Join(m.Dir, filepath.FromSlash(folder))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("tidy folder of module: %w", err)
	}
	for _, entry := range entries {
		if _, wanted := files[entry.Name()]; wanted || entry.IsDir() {
			continue
		}
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
			return fmt.Errorf("tidy folder of module: %w", err)
		}
	}
	return nil
}

// GoEnv is the environment of the go command in the module. It disables workspaces. It keeps
// names of folders out of the results, so that other folders can use the same build cache.
var GoEnv = []string{"GOWORK=off", "GOFLAGS=-trimpath -buildvcs=false"}

// Build builds a main package of the module into file.
func (m Module) Build(ctx context.Context, file, pkg string) error {
	return programs.Build(ctx, command.In{Dir: m.Dir, Env: GoEnv}, file, pkg)
}

// Go runs the go command in the module and returns all that it writes.
func (m Module) Go(ctx context.Context, env []string, args ...string) (string, error) {
	var out bytes.Buffer
	in := command.In{Dir: m.Dir, Env: append(GoEnv, env...), Stdout: &out, Stderr: &out}
	err := in.Go(ctx, args...)
	return out.String(), err
}
