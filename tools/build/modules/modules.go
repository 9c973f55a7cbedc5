package modules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"
)

// Unpublished is the version at which committed go.mod files require siblings that were never
// released. It is published nowhere; go.work replaces it with the sibling's folder.
const Unpublished = "v0.0.0"

// Workspace is the folder that holds go.work, with the modules that go.work uses.
type Workspace struct {
	Root    string
	Modules []Module // each comes after the siblings that it requires, else in the order of their paths
}

// Module is one module of the workspace.
type Module struct {
	Path     string   // as imported
	Name     string   // its folder below the root, with slashes: "operator/api"
	Dir      string   // its folder, absolute
	Siblings []string // paths of the workspace's modules that its go.mod requires, sorted

	// Required is the version at which committed go.mod files require the module: its last release,
	// or Unpublished. go.work replaces that version with the folder.
	Required string

	// IsApart reports whether go.work does not use the module.
	IsApart bool
}

// Pattern matches all packages of the module, for a go command that runs in the root.
func (m Module) Pattern() string { return "./" + m.Name + "/..." }

// Module returns the module whose folder below the root is name.
func (w *Workspace) Module(name string) (Module, error) {
	i := slices.IndexFunc(w.Modules, func(m Module) bool { return m.Name == name })
	if i < 0 {
		return Module{}, fmt.Errorf("no module %s in %s", name, filepath.Join(w.Root, "go.work"))
	}
	return w.Modules[i], nil
}

// With returns the workspace with further modules, which are in these folders below the root, and
// which go.work does not use. They come last, and require no module of the workspace.
func (w *Workspace) With(names ...string) (*Workspace, error) {
	out := &Workspace{Root: w.Root, Modules: slices.Clone(w.Modules)}
	for _, name := range names {
		dir := filepath.Join(w.Root, filepath.FromSlash(name))
		mod, err := ReadMod(dir)
		if err != nil {
			return nil, err
		}
		for _, r := range mod.Require {
			if slices.ContainsFunc(w.Modules, func(m Module) bool { return m.Path == r.Mod.Path }) {
				return nil, fmt.Errorf("%s requires %s, so that go.work must use it", name, r.Mod.Path)
			}
		}
		out.Modules = append(out.Modules, Module{Path: mod.Module.Mod.Path, Name: name, Dir: dir, Required: Unpublished, IsApart: true})
	}
	return out, nil
}

// Patterns matches all packages of the workspace, for a go command that runs in the root.
func (w *Workspace) Patterns() []string {
	var patterns []string
	for _, m := range w.Modules {
		patterns = append(patterns, m.Pattern())
	}
	return patterns
}

// Find reads the workspace of dir. It looks for go.work itself, so that GOWORK=off does not
// matter.
func Find(dir string) (*Workspace, error) {
	root, err := rootAbove(dir)
	if err != nil {
		return nil, err
	}
	found, err := read(root)
	if err != nil {
		return nil, err
	}
	ordered, err := order(found)
	if err != nil {
		return nil, err
	}
	return &Workspace{Root: root, Modules: ordered}, nil
}

func rootAbove(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find go.work: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.work in %s or above it", start)
		}
	}
}

func read(root string) ([]Module, error) {
	file := filepath.Join(root, "go.work")
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read workspace: %w", err)
	}
	work, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return nil, fmt.Errorf("read workspace: %w", err)
	}
	required := map[string][]string{}
	var found []Module
	for _, use := range work.Use {
		dir := filepath.Join(root, filepath.FromSlash(use.Path))
		mod, err := ReadMod(dir)
		if err != nil {
			return nil, err
		}
		path := mod.Module.Mod.Path
		name, err := filepath.Rel(root, dir)
		if err != nil {
			return nil, fmt.Errorf("place module %s: %w", path, err)
		}
		found = append(found, Module{Path: path, Name: filepath.ToSlash(name), Dir: dir, Required: replaced(work, path)})
		for _, r := range mod.Require {
			required[path] = append(required[path], r.Mod.Path)
		}
	}
	return withSiblings(found, required), nil
}

// replaced returns the version of a module that go.work replaces.
func replaced(work *modfile.WorkFile, path string) string {
	for _, r := range work.Replace {
		if r.Old.Path == path && r.Old.Version != "" {
			return r.Old.Version
		}
	}
	return Unpublished
}

// ReadMod reads the go.mod of the module in dir.
func ReadMod(dir string) (*modfile.File, error) {
	file := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read module: %w", err)
	}
	return ParseMod(file, data)
}

// ParseMod parses a go.mod.
func ParseMod(file string, data []byte) (*modfile.File, error) {
	mod, err := modfile.Parse(file, data, nil)
	if err != nil {
		return nil, fmt.Errorf("read module: %w", err)
	}
	if mod.Module == nil {
		return nil, fmt.Errorf("read module: %s has no module line", file)
	}
	return mod, nil
}
