package pack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
)

// Release packs a module at a released version. files are those of its folder, with slashes in
// their names. The zip has what the go command would put into it: nothing of nested modules, for
// example.
func Release(m modules.Module, version string, files map[string][]byte) (Packed, error) {
	all := make([]zip.File, 0, len(files))
	for name, data := range files {
		all = append(all, file{name: name, data: data})
	}
	checked, err := zip.CheckFiles(all)
	if err != nil {
		return Packed{}, fmt.Errorf("list files of %s: %w", m.Path, err)
	}
	slices.Sort(checked.Valid)
	valid := make([]file, len(checked.Valid))
	for i, name := range checked.Valid {
		valid[i] = file{name: name, data: files[name]}
	}
	return published(m, func([]file) (string, error) { return version, nil }, valid, nil)
}

// Files returns the content of the zip, by names below the module.
func (p Packed) Files() map[string][]byte {
	out := map[string][]byte{}
	for _, f := range p.files {
		out[f.name] = f.data
	}
	return out
}

// Serve writes a proxy of released versions into an empty folder. Go commands that use it ask no
// network: other modules come from the user's module cache. They store ours in a cache of the
// proxy.
func Serve(ctx context.Context, dir string, versions []Packed) (*Proxy, error) {
	p := &Proxy{Dir: filepath.Join(dir, "proxy"), Modules: versions, cache: filepath.Join(dir, "modcache"), settings: filepath.Join(dir, "env")}
	if err := os.MkdirAll(p.Dir, 0o777); err != nil {
		return nil, fmt.Errorf("write proxy: %w", err)
	}
	if err := p.readUser(ctx); err != nil {
		return nil, fmt.Errorf("write proxy: %w", err)
	}
	for _, v := range versions {
		if err := v.write(p.Dir); err != nil {
			return nil, fmt.Errorf("write proxy: %w", err)
		}
	}
	return p, overlay(p.user, p.cache, p.paths())
}

// readUser reads where the user's module cache is. It writes the settings of the user's go command
// into a file, without private modules: if GONOPROXY has any value, also "none", the go command
// does not find a module whose parent it has in its cache at the same version.
func (p *Proxy) readUser(ctx context.Context) error {
	out, err := command.In{}.Output(ctx, "go", "env", "-json", "GOMODCACHE", "GOENV")
	if err != nil {
		return err
	}
	var set struct{ GOMODCACHE, GOENV string }
	if err := json.Unmarshal([]byte(out), &set); err != nil {
		return err
	}
	p.user = set.GOMODCACHE
	text, err := os.ReadFile(set.GOENV)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // it is "off" if there is none
		return err
	}
	var kept strings.Builder
	for line := range strings.Lines(string(text)) {
		if name, _, _ := strings.Cut(line, "="); name != "GOPRIVATE" && name != "GONOPROXY" {
			kept.WriteString(line)
		}
	}
	return os.WriteFile(p.settings, []byte(kept.String()), 0o666)
}

// Elsewhere returns the proxy with another module cache, in an empty folder.
func (p *Proxy) Elsewhere(cache string) (*Proxy, error) {
	other := *p
	other.cache = cache
	return &other, overlay(p.user, cache, p.paths())
}

// paths are those of the modules.
func (p *Proxy) paths() []string {
	var out []string
	for _, m := range p.Modules {
		out = append(out, m.Path)
	}
	return out
}

// Answer makes the proxy answer a query for a module, such as a branch, by one of its versions.
func (p *Proxy) Answer(path, query, version string) error {
	escaped, err := module.EscapePath(path)
	if err != nil {
		return err
	}
	text, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, time.Unix(0, 0).UTC()})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.Dir, filepath.FromSlash(escaped), "@v", query+".info"), text, 0o666)
}

// offline is the environment of go commands that use a proxy of Serve.
func (p *Proxy) offline() []string {
	others := &Proxy{Dir: filepath.Join(p.user, "cache", "download")}
	return []string{
		"GOWORK=off", "GOFLAGS=-trimpath -modcacherw", "GOMODCACHE=" + p.cache, "GOTOOLCHAIN=local",
		"GOPROXY=" + p.URL() + "," + others.URL() + ",off", "GOENV=" + p.settings, "GONOPROXY=", "GOPRIVATE=", "GOSUMDB=off",
	}
}
