package alone

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/stratakube/strata/tools/modules"
	"github.com/stratakube/strata/tools/pack"
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
	var changed []string
	for _, m := range w.Modules {
		proxy, err := pack.Cached(ctx, w) // again for each: a module that was tidied packs differently
		if err != nil {
			return changed, err
		}
		isChanged, err := tidy(ctx, m, proxy, keep)
		if err != nil {
			return changed, fmt.Errorf("tidy %s: %w", m.Path, err)
		}
		if isChanged {
			changed = append(changed, m.Name)
		}
	}
	return changed, nil
}

func tidy(ctx context.Context, m modules.Module, proxy *pack.Proxy, keep keep) (isChanged bool, err error) {
	err = with(ctx, m, proxy, offer(m, proxy), func(c *checkout) error {
		if err := c.run(ctx, []string{"mod", "tidy"}); err != nil {
			return err
		}
		mod, sums, err := c.committable()
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

// offer requires all siblings, so that the go command finds those that the module imports since it
// was last tidied, too. Tidying drops the others.
func offer(m modules.Module, proxy *pack.Proxy) require {
	return func(mod *modfile.File) error {
		for _, sibling := range proxy.Modules {
			if sibling.Path == m.Path {
				continue
			}
			if err := mod.AddRequire(sibling.Path, sibling.Version); err != nil {
				return err
			}
		}
		return nil
	}
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
