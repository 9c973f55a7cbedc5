package release

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
)

// extract writes the files of a zip into a folder.
func extract(p pack.Packed, dir string) error {
	for name, data := range p.Files() {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func flat(name string) string { return strings.ReplaceAll(name, "/", "-") }

// list lists the packages of a module, once.
func (g *gates) list(ctx context.Context, m modules.Module, flags ...string) error {
	args := append(append([]string{"list"}, flags...), "-f", "{{if .GoFiles}}{{.Name}} {{.ImportPath}}{{end}}", "./...")
	out, err := g.in(g.folder(m)).Output(ctx, "go", args...)
	if err == nil {
		g.listed.Store(m.Name, out)
	}
	return err
}

// packages returns the packages of a module that others can import, and its commands.
func (g *gates) packages(ctx context.Context, m modules.Module) (libraries, commands []string, err error) {
	if _, ok := g.listed.Load(m.Name); !ok {
		if err := g.list(ctx, m); err != nil {
			return nil, nil, err
		}
	}
	out, _ := g.listed.Load(m.Name)
	for line := range strings.Lines(out.(string)) {
		name, importPath, _ := strings.Cut(strings.TrimSpace(line), " ")
		words := strings.Split(importPath, "/")
		switch {
		case importPath == "": // it has tests only
		case slices.Contains(words, "internal"):
		case name != "main":
			libraries = append(libraries, importPath)
		case len(words) > 1 && words[len(words)-2] == "cmd":
			commands = append(commands, importPath)
		}
	}
	return libraries, commands, nil
}

// consumer compiles a package outside of the workspace that gets the module from the proxy,
// together with what is released now, and imports all of its packages. It is no program: go install
// links.
func (g *gates) consumer(ctx context.Context, p pack.Packed) error {
	libraries, _, err := g.packages(ctx, p.Module)
	if err != nil || len(libraries) == 0 {
		return err
	}
	var b strings.Builder
	b.WriteString("package consumer\n\nimport (\n")
	for _, library := range libraries {
		fmt.Fprintf(&b, "\t_ %q\n", library)
	}
	b.WriteString(")\n")
	dir := filepath.Join(g.work, "consumers", flat(p.Name))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "consumer.go"), []byte(b.String()), 0o666); err != nil {
		return err
	}
	in, get := g.in(dir), []string{"get", p.ID().String()}
	for _, other := range g.pending {
		get = append(get, other.ID().String())
	}
	for _, args := range [][]string{{"mod", "init", "consumer.test"}, get, {"mod", "tidy"}, {"build", "."}} {
		if _, err := in.Output(ctx, "go", args...); err != nil {
			return err
		}
	}
	return nil
}

// install installs each command of a module as its users do.
func (g *gates) install(ctx context.Context, p pack.Packed) error {
	_, err := g.installs(ctx, p, copies[0], g.env)
	return err
}

// installs installs the commands of a module into the folder of a copy, and returns their names.
func (g *gates) installs(ctx context.Context, p pack.Packed, copy string, env []string) ([]string, error) {
	_, commands, err := g.packages(ctx, p.Module)
	if err != nil {
		return nil, err
	}
	bin := g.installed(copy)
	if err := os.MkdirAll(bin, 0o777); err != nil {
		return nil, err
	}
	in := command.In{Dir: filepath.Dir(bin), Env: append(slices.Clone(env), "GOBIN="+bin)}
	var names []string
	for _, c := range commands {
		if _, err := in.Output(ctx, "go", "install", c+"@"+p.Version); err != nil {
			return nil, err
		}
		name := path.Base(c)
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// programs installs the commands of a module once more, from a module cache in another folder, and
// compares the bytes with those of install.
func (g *gates) programs(ctx context.Context, p pack.Packed) error {
	names, err := g.installs(ctx, p, copies[1], g.again)
	if err != nil {
		return err
	}
	for _, name := range names {
		var built [][]byte
		for _, copy := range copies {
			data, err := os.ReadFile(filepath.Join(g.installed(copy), name))
			if err != nil {
				return err
			}
			built = append(built, data)
		}
		if !bytes.Equal(built[0], built[1]) {
			return fmt.Errorf("%s differs between two builds in two folders", name)
		}
	}
	return nil
}
