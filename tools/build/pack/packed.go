package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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

// packed names and sums a module whose siblings are packed already. stamp is a part of its version.
func packed(m modules.Module, stamp string, siblings []Packed) (Packed, error) {
	files, err := read(m.Dir)
	if err != nil {
		return Packed{}, err
	}
	return published(m, func(files []file) (string, error) { return versionOf(m, stamp, files) }, files, siblings)
}

// published names and sums a module of these files. Its siblings have the versions of siblings.
func published(m modules.Module, name func([]file) (string, error), files []file, siblings []Packed) (Packed, error) {
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
	if p.Version, err = name(files); err != nil {
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
// commit. It is older than every release that is to come, and newer than the last one.
func versionOf(m modules.Module, stamp string, files []file) (string, error) {
	content, err := sum("", files)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256([]byte(content))
	return next(m.Required) + versionInfix + stamp + "h" + hex.EncodeToString(digest[:6]), nil
}

// versionInfix begins the part of a packed version that names the content.
const versionInfix = "-packed."

// next returns the first version after a release. Nothing was released at the unpublished version.
func next(release string) string {
	if release == "" || release == modules.Unpublished {
		return modules.Unpublished
	}
	base, _, _ := strings.Cut(release, "-")
	if base != release {
		return base // it was a pre-release of this version
	}
	at := strings.LastIndex(base, ".")
	patch, err := strconv.Atoi(base[at+1:])
	if err != nil {
		return base
	}
	return base[:at+1] + strconv.Itoa(patch+1)
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
