package release

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/sync/errgroup"

	"github.com/stratakube/strata/tools/build/command"
)

// verify checks that the modules in the user's cache are those of the go.sum files, each once. go
// mod verify does so for one module: it would hash nearly the same modules nine times.
func (g *gates) verify(ctx context.Context) error {
	cache, err := command.In{}.Output(ctx, "go", "env", "GOMODCACHE")
	if err != nil {
		return err
	}
	sums := map[module.Version]string{}
	for _, p := range g.current {
		for key, sum := range sumsOf(string(p.Files()["go.sum"])) {
			path, version, _ := strings.Cut(key, " ")
			if strings.HasSuffix(version, "/go.mod") {
				continue
			}
			m := module.Version{Path: path, Version: version}
			if other := sums[m]; other != "" && other != sum {
				return fmt.Errorf("%s: the go.sum files have %s and %s", m, other, sum)
			}
			sums[m] = sum
		}
	}
	return verifySums(ctx, strings.TrimSpace(cache), sums)
}

// verifySums compares zips and folders of modules with their sums, as many at a time as there are
// processors. What was not downloaded is left out.
func verifySums(ctx context.Context, cache string, sums map[module.Version]string) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for m, sum := range sums {
		all.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return verifySum(cache, m, sum)
		})
	}
	return all.Wait()
}

func verifySum(cache string, m module.Version, sum string) error {
	path, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	version, err := module.EscapeVersion(m.Version)
	if err != nil {
		return err
	}
	for name, hash := range map[string]func(string) (string, error){
		filepath.Join("cache", "download", path, "@v", version+".zip"): func(file string) (string, error) { return dirhash.HashZip(file, dirhash.Hash1) },
		filepath.Join(path + "@" + version):                            func(dir string) (string, error) { return dirhash.HashDir(dir, m.String(), dirhash.Hash1) },
	} {
		file := filepath.Join(cache, name)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		got, err := hash(file)
		if err != nil {
			return fmt.Errorf("verify %s: %w", m, err)
		}
		if got != sum {
			return fmt.Errorf("%s was changed: it has %s, and go.sum has %s", file, got, sum)
		}
	}
	return nil
}
