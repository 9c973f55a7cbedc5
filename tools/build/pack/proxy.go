package pack

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/stratakube/strata/tools/build/modules"
)

// Proxy is a folder in the layout of a module proxy that holds one packed version of every module
// of a workspace.
type Proxy struct {
	Dir     string
	Modules []Packed // in the order of the workspace
}

// Cached packs the workspace into the user's cache folder and removes packs of earlier days there.
func Cached(ctx context.Context, w *modules.Workspace) (*Proxy, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("find cache folder: %w", err)
	}
	proxy, err := Pack(w, filepath.Join(cache, "strata", "proxy"))
	if err != nil {
		return nil, err
	}
	return proxy, proxy.Prune(ctx)
}

// Pack packs all modules of the workspace into a proxy below folder. Modules that did not change
// since an earlier pack give the same proxy, which is then not written again. A proxy appears whole
// or not at all.
func Pack(w *modules.Workspace, folder string) (*Proxy, error) {
	proxy := &Proxy{}
	name := sha256.New()
	for _, m := range w.Modules {
		p, err := packed(m, proxy.Modules)
		if err != nil {
			return nil, err
		}
		proxy.Modules = append(proxy.Modules, p)
		fmt.Fprintln(name, p.ID())
	}
	proxy.Dir = filepath.Join(folder, hex.EncodeToString(name.Sum(nil)[:6]))
	if err := proxy.write(); err != nil {
		return nil, fmt.Errorf("write proxy: %w", err)
	}
	return proxy, nil
}

// Require sets the versions of the siblings that mod requires to those of the proxy.
func (p *Proxy) Require(mod *modfile.File) error { return require(mod, p.Modules) }

// Sums are the lines of go.sum for all packed modules.
func (p *Proxy) Sums() string {
	var b strings.Builder
	for _, m := range p.Modules {
		fmt.Fprintf(&b, "%s %s %s\n", m.Path, m.Version, m.Sum)
		fmt.Fprintf(&b, "%s %s/go.mod %s\n", m.Path, m.Version, m.ModSum)
	}
	return b.String()
}

func (p *Proxy) write() error {
	if _, err := os.Stat(p.Dir); err == nil {
		return touch(p.Dir)
	}
	if err := os.MkdirAll(filepath.Dir(p.Dir), 0o777); err != nil {
		return err
	}
	staging, err := os.MkdirTemp(filepath.Dir(p.Dir), ".writing-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)
	for _, m := range p.Modules {
		if err := m.write(staging); err != nil {
			return err
		}
	}
	if err := os.Rename(staging, p.Dir); err != nil {
		if _, there := os.Stat(p.Dir); there == nil {
			return nil // another process was faster
		}
		return err
	}
	return nil
}

// write lays the four files of a version out as the protocol of module proxies names them.
func (p Packed) write(root string) error {
	escaped, err := module.EscapePath(p.Path)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	about, err := json.Marshal(struct{ Version string }{p.Version})
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := zip.Create(&archive, p.ID(), p.zipped()); err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"list":              []byte(p.Version + "\n"),
		p.Version + ".info": about,
		p.Version + ".mod":  p.mod,
		p.Version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (p Packed) zipped() []zip.File {
	files := make([]zip.File, len(p.files))
	for i, f := range p.files {
		files[i] = f
	}
	return files
}
