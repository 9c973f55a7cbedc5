package standalone

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
)

// checkout is a module's folder together with the copies of its go.mod and go.sum.
type checkout struct {
	module modules.Module
	proxy  *pack.Proxy
	copies string // the folder of the copies
	in     command.In
}

// require puts packed siblings into the copy of a go.mod.
type require func(*modfile.File) error

// with opens a checkout of the module, hands it to do, and removes the copies.
func with(ctx context.Context, m modules.Module, proxy *pack.Proxy, require require, do func(*checkout) error) error {
	env, err := proxy.Environ(ctx)
	if err != nil {
		return err
	}
	copies, err := os.MkdirTemp("", "strata-alone-*")
	if err != nil {
		return fmt.Errorf("check out %s: %w", m.Path, err)
	}
	defer os.RemoveAll(copies)

	c := &checkout{module: m, proxy: proxy, copies: copies, in: command.In{Dir: m.Dir, Env: env}}
	if err := c.copy(require); err != nil {
		return fmt.Errorf("check out %s: %w", m.Path, err)
	}
	return do(c)
}

func (c *checkout) copy(require require) error {
	mod, err := modules.ReadMod(c.module.Dir)
	if err != nil {
		return err
	}
	if err := require(mod); err != nil {
		return err
	}
	data, err := mod.Format()
	if err != nil {
		return err
	}
	sums, err := readSums(c.module.Dir)
	if err != nil {
		return err
	}
	return c.put(data, append(sums, c.proxy.Sums()...))
}

func (c *checkout) put(mod, sums []byte) error {
	if err := os.WriteFile(filepath.Join(c.copies, "go.mod"), mod, 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.copies, "go.sum"), sums, 0o666)
}

// run runs a go command on the module; its flags for the copies go after the verb.
func (c *checkout) run(ctx context.Context, verb []string, args ...string) error {
	words := append(verb, "-modfile="+filepath.Join(c.copies, "go.mod"))
	_, err := c.in.Output(ctx, "go", append(words, args...)...)
	return err
}

// committable returns the two files with siblings at the unpublished version, as they are
// committed.
func (c *checkout) committable() (mod, sums []byte, err error) {
	parsed, err := modules.ReadMod(c.copies)
	if err != nil {
		return nil, nil, err
	}
	isOurs := map[string]bool{}
	for _, m := range c.proxy.Modules {
		isOurs[m.Path] = true
	}
	if err := unpublish(parsed, isOurs); err != nil {
		return nil, nil, err
	}
	if mod, err = parsed.Format(); err != nil {
		return nil, nil, err
	}
	all, err := readSums(c.copies)
	return mod, without(all, isOurs), err
}

func unpublish(mod *modfile.File, isOurs map[string]bool) error {
	for _, r := range mod.Require {
		if !isOurs[r.Mod.Path] {
			continue
		}
		if err := mod.AddRequire(r.Mod.Path, modules.Unpublished); err != nil {
			return err
		}
	}
	mod.Cleanup()
	return nil
}

// without leaves the lines of our modules out of a go.sum.
func without(sums []byte, isOurs map[string]bool) []byte {
	var kept bytes.Buffer
	for line := range strings.Lines(string(sums)) {
		if path, _, _ := strings.Cut(line, " "); !isOurs[path] {
			kept.WriteString(line)
		}
	}
	return kept.Bytes()
}

// readSums reads the go.sum of a folder. A module that requires nothing has none.
func readSums(dir string) ([]byte, error) {
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return sums, err
}
