package pack

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

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

	// Of a proxy of Serve: its module cache, the user's, and the file of its settings.
	cache, user, settings string
}

// Cached packs the workspace into the user's cache folder and removes packs of earlier days there.
func Cached(ctx context.Context, w *modules.Workspace) (*Proxy, error) {
	cache, err := cacheFolder()
	if err != nil {
		return nil, err
	}
	proxy, err := Pack(w, filepath.Join(cache, "proxy"))
	if err != nil {
		return nil, err
	}
	return proxy, proxy.Prune(ctx)
}

// Kept packs the workspace into the user's cache folder, where it stays until the user removes it.
// Its versions are newer than those of earlier packs.
func Kept(w *modules.Workspace) (*Proxy, error) {
	cache, err := cacheFolder()
	if err != nil {
		return nil, err
	}
	return keep(w, filepath.Join(cache, "packs"), time.Now())
}

// keep packs the workspace into a folder of packs that stay. The name of each begins with its time.
func keep(w *modules.Workspace, folder string, now time.Time) (*Proxy, error) {
	_, name, err := all(w, "")
	if err != nil {
		return nil, err
	}
	earlier, err := filepath.Glob(filepath.Join(folder, "*-*"))
	if err != nil {
		return nil, err
	}
	stamp, _ := strconv.Atoi(now.UTC().Format("20060102150405"))
	for _, dir := range earlier {
		text, content, _ := strings.Cut(filepath.Base(dir), "-")
		n, err := strconv.Atoi(text)
		if err == nil && content == name {
			stamp = n
			break
		}
		stamp = max(stamp, n+1)
	}
	packed, _, err := all(w, fmt.Sprintf("%d.", stamp))
	if err != nil {
		return nil, err
	}
	return write(filepath.Join(folder, fmt.Sprintf("%d-%s", stamp, name)), packed)
}

func cacheFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find cache folder: %w", err)
	}
	return filepath.Join(cache, "strata"), nil
}

// Pack packs all modules of the workspace into a proxy below folder. Modules that did not change
// since an earlier pack give the same proxy, which is then not written again. A proxy appears whole
// or not at all.
func Pack(w *modules.Workspace, folder string) (*Proxy, error) {
	packed, name, err := all(w, "")
	if err != nil {
		return nil, err
	}
	return write(filepath.Join(folder, name), packed)
}

// all packs all modules of the workspace. stamp is a part of their versions. The name depends on
// the content of all.
func all(w *modules.Workspace, stamp string) (out []Packed, name string, err error) {
	content := sha256.New()
	for _, m := range w.Modules {
		p, err := packed(m, stamp, out)
		if err != nil {
			return nil, "", err
		}
		out = append(out, p)
		fmt.Fprintln(content, p.ID())
	}
	return out, hex.EncodeToString(content.Sum(nil)[:6]), nil
}

func write(dir string, packed []Packed) (*Proxy, error) {
	proxy := &Proxy{Dir: dir, Modules: packed}
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
		p.Version + ".info": about,
		p.Version + ".mod":  p.mod,
		p.Version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return err
		}
	}
	list, err := os.OpenFile(filepath.Join(dir, "list"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(list, p.Version)
	return errors.Join(err, list.Close())
}

func (p Packed) zipped() []zip.File {
	files := make([]zip.File, len(p.files))
	for i, f := range p.files {
		files[i] = f
	}
	return files
}
