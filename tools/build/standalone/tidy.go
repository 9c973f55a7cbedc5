package standalone

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
	"github.com/stratakube/strata/tools/build/packages"
)

// Tidy writes the go.mod and go.sum of every module as `go mod tidy` would, in the order in which
// the modules require one another, and returns the names of the modules that it changed.
func Tidy(ctx context.Context, w *modules.Workspace) ([]string, error) {
	return tidyAll(ctx, w, save)
}

// Untidy returns the names of the modules that Tidy would change first. It changes nothing.
func Untidy(ctx context.Context, w *modules.Workspace) ([]string, error) {
	return tidyAll(ctx, w, func(modules.Module, []byte, []byte) error { return nil })
}

type keep func(m modules.Module, mod, sums []byte) error

func tidyAll(ctx context.Context, w *modules.Workspace, keep keep) ([]string, error) {
	arrows, err := arrows(ctx, w)
	if err != nil {
		return nil, err
	}
	selected, err := selected(ctx, w)
	if err != nil {
		return nil, err
	}
	released, err := releasedSums(w)
	if err != nil {
		return nil, err
	}
	var changed []string
	for _, m := range w.Modules {
		proxy, err := pack.Cached(ctx, w) // again for each: a module that was tidied packs differently
		if err != nil {
			return changed, err
		}
		isChanged, err := tidy(ctx, m, offer(arrows[m.Path], selected, proxy), proxy, released, keep)
		if err != nil {
			return changed, fmt.Errorf("tidy %s: %w", m.Path, err)
		}
		if isChanged {
			changed = append(changed, m.Name)
		}
	}
	return changed, nil
}

func tidy(ctx context.Context, m modules.Module, offer require, proxy *pack.Proxy, released []byte, keep keep) (isChanged bool, err error) {
	err = with(ctx, m, proxy, offer, func(c *checkout) error {
		if err := c.run(ctx, []string{"mod", "tidy"}); err != nil {
			return err
		}
		mod, sums, err := c.committable(released)
		if err != nil {
			return err
		}
		if isChanged, err = differs(m.Dir, mod, sums); err != nil || !isChanged {
			return err
		}
		return keep(m, mod, sums)
	})
	return isChanged, err
}

// WithReleases returns the go.mod and go.sum that a module has once its siblings are released at
// the versions of the proxy. It changes nothing.
func WithReleases(ctx context.Context, m modules.Module, proxy *pack.Proxy) (mod, sums []byte, err error) {
	err = with(ctx, m, proxy, proxy.Require, func(c *checkout) error {
		if err := c.run(ctx, []string{"mod", "tidy"}); err != nil {
			return err
		}
		if mod, err = os.ReadFile(filepath.Join(c.copies, "go.mod")); err != nil {
			return err
		}
		sums, err = readSums(c.copies)
		return err
	})
	return mod, sums, err
}

// offer adds requirements on the siblings that the module imports, also on those that it imports
// since it was last tidied, and on the siblings that these import. It adds no others, because
// tidying would drop them, but would preserve the versions that they require. It removes
// requirements on siblings without an import. It raises requirements to the versions that the
// workspace selects.
func offer(siblings map[string]bool, selected map[string]string, proxy *pack.Proxy) require {
	return func(mod *modfile.File) error {
		if err := raise(mod, selected); err != nil {
			return err
		}
		for _, sibling := range proxy.Modules {
			if !siblings[sibling.Path] && !isIndirect(mod, sibling.Path) {
				if err := mod.DropRequire(sibling.Path); err != nil { // it was imported before
					return err
				}
				continue
			}
			if err := mod.AddRequire(sibling.Path, sibling.Version); err != nil {
				return err
			}
		}
		return nil
	}
}

// raise gives every requirement the version that the workspace selects, where that is higher. A
// module is then built of the same versions alone as within the workspace, so that its tests there
// hold for its users, and nothing is compiled twice.
func raise(mod *modfile.File, selected map[string]string) error {
	for _, r := range mod.Require {
		if semver.Compare(selected[r.Mod.Path], r.Mod.Version) <= 0 {
			continue
		}
		if err := mod.AddRequire(r.Mod.Path, selected[r.Mod.Path]); err != nil {
			return fmt.Errorf("raise %s: %w", r.Mod.Path, err)
		}
	}
	return nil
}

// selected are the versions that the workspace selects, by path of module. Its own modules have
// none.
func selected(ctx context.Context, w *modules.Workspace) (map[string]string, error) {
	out, err := command.In{Dir: w.Root}.Output(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Version}}", "all")
	if err != nil {
		return nil, fmt.Errorf("list versions: %w", err)
	}
	versions := map[string]string{}
	for line := range strings.Lines(out) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		if semver.IsValid(version) {
			versions[path] = version
		}
	}
	return versions, nil
}

// isIndirect reports whether the module requires a sibling that another one imports.
func isIndirect(mod *modfile.File, sibling string) bool {
	return slices.ContainsFunc(mod.Require, func(r *modfile.Require) bool { return r.Mod.Path == sibling && r.Indirect })
}

// arrows returns for each module which others its packages and their tests import.
func arrows(ctx context.Context, w *modules.Workspace) (map[string]map[string]bool, error) {
	all, err := packages.List(ctx, w)
	if err != nil {
		return nil, err
	}
	arrows := map[string]map[string]bool{}
	for _, m := range w.Modules {
		arrows[m.Path] = map[string]bool{}
	}
	for _, p := range all {
		from := moduleOf(w, p.ImportPath)
		for _, path := range append(p.OfTests(), p.Imports...) {
			if to := moduleOf(w, path); to != "" && to != from {
				arrows[from][to] = true
			}
		}
	}
	return arrows, nil
}

// moduleOf is the module of the workspace that a package belongs to, the innermost where they are
// nested.
func moduleOf(w *modules.Workspace, path string) string {
	innermost := ""
	for _, m := range w.Modules {
		if len(m.Path) > len(innermost) && (path == m.Path || strings.HasPrefix(path, m.Path+"/")) {
			innermost = m.Path
		}
	}
	return innermost
}

func differs(dir string, mod, sums []byte) (bool, error) {
	oldMod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return false, err
	}
	oldSums, err := readSums(dir)
	return !bytes.Equal(oldMod, mod) || !bytes.Equal(oldSums, sums), err
}

func save(m modules.Module, mod, sums []byte) error {
	if err := os.WriteFile(filepath.Join(m.Dir, "go.mod"), mod, 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(m.Dir, "go.sum"), sums, 0o666)
}
