package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/images"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
)

// checkouts extracts the whole tree into both folders, once.
func (g *gates) checkouts(ctx context.Context) ([]*modules.Workspace, error) {
	var out []*modules.Workspace
	for _, copy := range copies {
		dir := filepath.Join(g.work, filepath.FromSlash(copy), "checkout")
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			if err := g.Repository.Extract(ctx, g.commit, dir); err != nil {
				return nil, err
			}
		}
		w, err := modules.Find(dir)
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}

// images builds the images of the commands in both folders, and compares the bytes.
func (g *gates) images(ctx context.Context) error {
	both, err := g.twice(ctx, func(ctx context.Context, w *modules.Workspace) (string, error) {
		out := filepath.Join(filepath.Dir(w.Root), "images")
		_, err := images.Build(ctx, w, images.Options{Out: out, Tag: "check"})
		return out, err
	})
	if err != nil {
		return err
	}
	return same(both[0], both[1])
}

// twice builds something in both checkouts at the same time, and returns the folders of the
// results.
func (g *gates) twice(ctx context.Context, build func(context.Context, *modules.Workspace) (string, error)) ([2]string, error) {
	var out [2]string
	checkouts, err := g.checkouts(ctx)
	if err != nil {
		return out, err
	}
	all, ctx := errgroup.WithContext(ctx)
	for i, w := range checkouts {
		all.Go(func() (err error) {
			out[i], err = build(ctx, w)
			return err
		})
	}
	return out, all.Wait()
}

// generatedTwice generates the example in both folders, and compares the bytes: Go, CRDs, and the
// packages that install them.
func (g *gates) generatedTwice(ctx context.Context) error {
	settings := g.Settings.Generated
	both, err := g.twice(ctx, func(ctx context.Context, w *modules.Workspace) (string, error) {
		out := filepath.Join(w.Root, filepath.FromSlash(settings.Output))
		if err := removeGenerated(out); err != nil {
			return "", err
		}
		// -trimpath: else each checkout, whose folder is new, would compile the generator anew.
		in := command.In{Dir: w.Root, Env: []string{"GOWORK=" + filepath.Join(w.Root, "go.work")}}
		_, err := in.Output(ctx, "go", append([]string{"run", "-trimpath"}, settings.Command...)...)
		return out, err
	})
	if err != nil {
		return err
	}
	if err := same(both[0], both[1]); err != nil {
		return err
	}
	return same(both[0], filepath.Join(g.Workspace.Root, filepath.FromSlash(settings.Output)))
}

// removeGenerated removes the Go files that say that they are generated, so that the generator
// writes them anew.
func removeGenerated(dir string) error {
	return filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, []byte("DO NOT EDIT.")) {
			return err
		}
		return os.Remove(name)
	})
}

// same reports the first file that differs between two folders.
func same(a, b string) error {
	first, err := contents(a)
	if err != nil {
		return err
	}
	second, err := contents(b)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(first)) {
		if data, ok := second[name]; !ok || !bytes.Equal(data, first[name]) {
			return fmt.Errorf("%s differs between two builds in two folders", name)
		}
	}
	if len(first) != len(second) {
		return fmt.Errorf("two builds gave %d and %d files", len(first), len(second))
	}
	return nil
}

func contents(dir string) (map[string][]byte, error) {
	out := map[string][]byte{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		out[name], err = fs.ReadFile(root, name)
		return err
	})
	return out, err
}

// generated checks generated code of the last release with the present runtime, which must compile,
// and present generated code with the runtime of the last release. Where that does not compile, the
// message must name the constant that was made for it.
func (g *gates) generated(ctx context.Context) error {
	settings := g.Settings.Generated
	output, err := g.Workspace.Module(settings.Output)
	if err != nil {
		return err
	}
	runtime, err := g.Workspace.Module(settings.Runtime)
	if err != nil {
		return err
	}
	olderCode, err := g.before(ctx, output)
	if err != nil {
		return err
	}
	olderRuntime, err := g.before(ctx, runtime)
	if err != nil || olderCode == nil && olderRuntime == nil {
		return err
	}
	code, library := g.at(output), g.at(runtime)
	if olderCode != nil {
		if err := g.compiles(ctx, "older-code", *olderCode, library); err != nil {
			return fmt.Errorf("generated code of %s does not compile with %s: %w", olderCode.ID(), library.ID(), err)
		}
	}
	if olderRuntime == nil {
		return nil
	}
	err = g.compiles(ctx, "older-runtime", code, *olderRuntime)
	if err != nil && !strings.Contains(err.Error(), "."+settings.Constant) {
		return fmt.Errorf("%s does not compile with %s, and the message does not name %s: raise its number in the generator and the runtime: %w", code.ID(), olderRuntime.ID(), settings.Constant, err)
	}
	return nil
}

// before packs the version of a module that was released before the present one, if there is any.
func (g *gates) before(ctx context.Context, m modules.Module) (*pack.Packed, error) {
	versions, err := g.Repository.Versions(ctx, m.Name)
	if err != nil {
		return nil, err
	}
	versions = slices.DeleteFunc(versions, func(v string) bool { return v == g.Settings.Versions[m.Name] })
	if len(versions) == 0 {
		return nil, nil
	}
	p, err := g.packed(ctx, m, versions[len(versions)-1], TagOf(m, versions[len(versions)-1]))
	return &p, err
}

func (g *gates) at(m modules.Module) pack.Packed {
	i := slices.IndexFunc(g.current, func(p pack.Packed) bool { return p.Path == m.Path })
	return g.current[i]
}

// compiles compiles the packages of code with a certain version of a library.
func (g *gates) compiles(ctx context.Context, name string, code, library pack.Packed) error {
	dir := filepath.Join(g.work, name)
	if err := extract(code, dir); err != nil {
		return err
	}
	in := g.in(dir)
	for _, args := range [][]string{{"mod", "edit", "-require=" + library.ID().String()}, {"build", "-mod=mod", "./..."}} {
		if _, err := in.Output(ctx, "go", args...); err != nil {
			return err
		}
	}
	return nil
}
