package standalone

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

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

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

// committable returns the two files with siblings at the versions at which they are committed.
// released has the sums of all siblings at these versions.
func (c *checkout) committable(released []byte) (mod, sums []byte, err error) {
	parsed, err := modules.ReadMod(c.copies)
	if err != nil {
		return nil, nil, err
	}
	required := map[string]string{}
	for _, m := range c.proxy.Modules {
		required[m.Path] = m.Required
	}
	if err := setVersions(parsed, required); err != nil {
		return nil, nil, err
	}
	if mod, err = parsed.Format(); err != nil {
		return nil, nil, err
	}
	all, err := readSums(c.copies)
	lines := append(without(all, required), ofRequired(released, parsed)...)
	return mod, sorted(lines), err
}

// setVersions sets the versions of the modules that mod requires.
func setVersions(mod *modfile.File, versions map[string]string) error {
	for _, r := range mod.Require {
		version, isOurs := versions[r.Mod.Path]
		if !isOurs {
			continue
		}
		if err := mod.AddRequire(r.Mod.Path, version); err != nil {
			return err
		}
	}
	mod.Cleanup()
	return nil
}

// without leaves the lines of our modules out of a go.sum.
func without(sums []byte, ours map[string]string) []byte {
	var kept bytes.Buffer
	for line := range strings.Lines(string(sums)) {
		path, _, _ := strings.Cut(line, " ")
		if _, isOurs := ours[path]; !isOurs {
			kept.WriteString(line)
		}
	}
	return kept.Bytes()
}

// ofRequired returns the lines of sums for the versions that mod requires.
func ofRequired(sums []byte, mod *modfile.File) []byte {
	var kept bytes.Buffer
	for line := range strings.Lines(string(sums)) {
		path, rest, _ := strings.Cut(line, " ")
		version, _, _ := strings.Cut(rest, " ")
		version = strings.TrimSuffix(version, "/go.mod")
		if slices.ContainsFunc(mod.Require, func(r *modfile.Require) bool {
			return r.Mod.Path == path && r.Mod.Version == version
		}) {
			kept.WriteString(line)
		}
	}
	return kept.Bytes()
}

// sorted returns the lines of a go.sum in the order in which the go command writes them.
func sorted(sums []byte) []byte {
	keys := map[module.Version]string{}
	for line := range strings.Lines(string(sums)) {
		words := strings.Fields(line)
		if len(words) == 3 {
			keys[module.Version{Path: words[0], Version: words[1]}] = line
		}
	}
	order := slices.Collect(maps.Keys(keys))
	module.Sort(order)
	var out bytes.Buffer
	for _, key := range order {
		out.WriteString(keys[key])
	}
	return out.Bytes()
}

// releasedSums are the lines of all go.sum files of the workspace about siblings at the versions at
// which they are committed.
func releasedSums(w *modules.Workspace) ([]byte, error) {
	required := &modfile.File{}
	for _, m := range w.Modules {
		required.Require = append(required.Require, &modfile.Require{Mod: module.Version{Path: m.Path, Version: m.Required}})
	}
	var out []byte
	for _, m := range w.Modules {
		sums, err := readSums(m.Dir)
		if err != nil {
			return nil, err
		}
		out = append(out, ofRequired(sums, required)...)
	}
	return sorted(out), nil
}

// readSums reads the go.sum of a folder. A module that requires nothing has none.
func readSums(dir string) ([]byte, error) {
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return sums, err
}
