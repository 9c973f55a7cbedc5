package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"

	"github.com/stratakube/strata/tools/build/modules"
)

// Packed is one version of a module as the proxy serves it.
type Packed struct {
	modules.Module
	Version string
	Sum     string // of the zip, in the form of go.sum
	ModSum  string // of its go.mod

	files []file
	mod   []byte
}

// packed names and sums a module whose siblings are packed already.
func packed(m modules.Module, siblings []Packed) (Packed, error) {
	files, err := read(m.Dir)
	if err != nil {
		return Packed{}, err
	}
	at := slices.IndexFunc(files, func(f file) bool { return f.name == "go.mod" })
	if at < 0 {
		return Packed{}, fmt.Errorf("pack %s: no go.mod", m.Path)
	}
	mod, err := modfile.Parse("go.mod", files[at].data, nil)
	if err != nil {
		return Packed{}, fmt.Errorf("pack %s: %w", m.Path, err)
	}
	if err := require(mod, siblings); err != nil {
		return Packed{}, err
	}
	if files[at].data, err = mod.Format(); err != nil {
		return Packed{}, fmt.Errorf("pack %s: %w", m.Path, err)
	}

	p := Packed{Module: m, files: files, mod: files[at].data}
	if p.Version, err = versionOf(files); err != nil {
		return Packed{}, err
	}
	if p.Sum, err = sum(p.ID().String()+"/", files); err != nil {
		return Packed{}, err
	}
	p.ModSum, err = sum("", files[at:at+1])
	return p, err
}

// ID is the module at its packed version.
func (p Packed) ID() module.Version { return module.Version{Path: p.Path, Version: p.Version} }

// require sets the version of every sibling that mod requires to the packed one.
func require(mod *modfile.File, siblings []Packed) error {
	for _, s := range siblings {
		if !requires(mod, s.Path) {
			continue
		}
		if err := mod.AddRequire(s.Path, s.Version); err != nil {
			return fmt.Errorf("require %s: %w", s.ID(), err)
		}
	}
	mod.Cleanup()
	return nil
}

func requires(mod *modfile.File, path string) bool {
	return slices.ContainsFunc(mod.Require, func(r *modfile.Require) bool { return r.Mod.Path == path })
}

// versionOf names a version after the content. It is no pseudo-version, which would promise a
// commit, and it is older than every release.
func versionOf(files []file) (string, error) {
	content, err := sum("", files)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256([]byte(content))
	return modules.Unpublished + "-packed.h" + hex.EncodeToString(digest[:6]), nil
}

func sum(prefix string, files []file) (string, error) {
	byName := map[string]file{}
	var names []string
	for _, f := range files {
		byName[prefix+f.name] = f
		names = append(names, prefix+f.name)
	}
	h1, err := dirhash.Hash1(names, func(name string) (io.ReadCloser, error) { return byName[name].Open() })
	if err != nil {
		return "", fmt.Errorf("sum files: %w", err)
	}
	return h1, nil
}
