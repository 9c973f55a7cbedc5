package pack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"

	"github.com/stratakube/strata/tools/build/command"
)

// kept is for how long a pack is kept after its last use.
const kept = 24 * time.Hour

// Prune removes proxies beside p that were not used for a day, and the go command's copies of
// packed versions as old as that. It never removes released versions.
func (p *Proxy) Prune(ctx context.Context) error {
	cache, err := command.In{}.Output(ctx, "go", "env", "GOMODCACHE")
	if err != nil {
		return fmt.Errorf("prune packs: %w", err)
	}
	limit := time.Now().Add(-kept)
	errs := []error{removeOlder(filepath.Join(filepath.Dir(p.Dir), "*"), filepath.Base(p.Dir), limit)}
	for _, m := range p.Modules {
		for _, pattern := range m.cached(strings.TrimSpace(cache)) {
			errs = append(errs, removeOlder(pattern, m.Version, limit))
		}
	}
	return errors.Join(errs...)
}

// cached returns patterns for the go command's copies of the packed versions of a module.
func (p Packed) cached(cache string) []string {
	escaped, err := module.EscapePath(p.Path)
	if err != nil {
		return nil
	}
	path := filepath.FromSlash(escaped)
	return []string{
		filepath.Join(cache, path+"@v*-packed.h*"),
		filepath.Join(cache, "cache", "download", path, "@v", "v*-packed.h*"),
	}
}

// removeOlder removes the files and folders that pattern matches, if they were last changed before
// limit and do not have the current name.
func removeOlder(pattern, current string, limit time.Time) error {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return fmt.Errorf("prune %s: %w", pattern, err)
	}
	var errs []error
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || info.ModTime().After(limit) || strings.Contains(filepath.Base(path), current) {
			continue
		}
		errs = append(errs, remove(path))
	}
	return errors.Join(errs...)
}

// remove also removes the read-only folders of the module cache.
func remove(path string) error {
	err := filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			return os.Chmod(path, 0o777)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("prune: %w", err)
	}
	return os.RemoveAll(path)
}

// touch notes that a proxy is in use.
func touch(dir string) error {
	now := time.Now()
	return os.Chtimes(dir, now, now)
}
