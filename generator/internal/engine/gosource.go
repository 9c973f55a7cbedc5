package engine

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/gomodule"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/scaffold"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/golang"
)

func (src Sources) readGo(ctx context.Context, s config.Source, progress func(done, total int)) (*source.Result, error) {
	result, err := golang.Read(ctx, golang.Options{
		Dir: src.config.Dir, Packages: s.Go.Packages, Tags: s.Go.Tags, Output: src.config.Output.Module, Own: !s.Go.Generated, Runtime: src.config.Output.Runtime,
		TakesPart: func(resource, version string) bool {
			return src.takesPart(resource, version) || src.Ledger.Version(resource, version) != nil
		},
	})
	progress(len(s.Go.Packages), len(s.Go.Packages))
	return result, err
}

// filesOfGo returns the patterns of packages. It reports those that name a folder that does not
// exist, and versions beside them that no source reads.
func (run *Run) filesOfGo(s config.Source) []string {
	for i, pattern := range s.Go.Packages {
		folder := folderOfPattern(pattern)
		if !strings.HasPrefix(folder, ".") {
			continue // an import path
		}
		if info, err := os.Stat(filepath.Join(run.config.Dir, folder)); err != nil || !info.IsDir() {
			run.Messages.Add(diag.Errorf(run.config.At(diag.Index(s.Pos.Path+".go.packages", i)), "no such folder: %s", folder).
				WithHint("packages are named as for the go command, from the folder of %s", filepath.Base(run.config.File)))
			continue
		}
		for _, beside := range run.unread(filepath.Clean(folder)) {
			run.Messages.Add(diag.Notef(run.config.At(diag.Index(s.Pos.Path+".go.packages", i)), "./%s declares kinds beside this package, and no source reads it", beside).
				WithHint("add \"./%s\" to packages; or name their folder, such as \"./%s/...\"", beside, path.Dir(beside)))
		}
	}
	return s.Go.Packages
}

// unread returns the folders of versions beside the one of a version whose Go files declare kinds,
// and which no pattern of a source names.
func (run *Run) unread(folder string) []string {
	if !scaffold.IsVersion(filepath.Base(folder)) {
		return nil
	}
	parent := filepath.Dir(folder)
	entries, err := os.ReadDir(filepath.Join(run.config.Dir, parent))
	if err != nil {
		return nil // the go command reports it
	}
	var out []string
	for _, entry := range entries {
		beside := filepath.Join(parent, entry.Name())
		if entry.IsDir() && scaffold.IsVersion(entry.Name()) && !run.isNamed(beside) && scaffold.DeclaresKinds(filepath.Join(run.config.Dir, beside)) {
			out = append(out, filepath.ToSlash(beside))
		}
	}
	return out
}

// isNamed reports whether a pattern of a source names a folder.
func (run *Run) isNamed(folder string) bool {
	return slices.ContainsFunc(run.config.Sources, func(s config.Source) bool {
		return s.Go != nil && slices.ContainsFunc(s.Go.Packages, func(pattern string) bool {
			named := filepath.Clean(folderOfPattern(pattern))
			below, err := filepath.Rel(named, folder)
			isTree := strings.HasSuffix(pattern, "...") && err == nil && !strings.HasPrefix(below, "..")
			return named == folder || isTree || !strings.HasPrefix(pattern, ".")
		})
	})
}

// folderOfPattern returns the folder that a pattern of packages begins with.
func folderOfPattern(pattern string) string {
	return strings.TrimSuffix(strings.TrimSuffix(pattern, "..."), "/")
}

// addModules adds the Go files of the packages' modules, except generated ones. Packages may
// import any of them.
func addModules(in *output.Inputs, name string, c *config.Config, patterns []string) error {
	dir, err := filepath.Abs(c.Output.Dir)
	if err != nil {
		return err
	}
	roots := golang.Options{Dir: c.Dir, Packages: patterns}.Modules()
	if len(roots) == 0 {
		return errors.New("the packages are in no module")
	}
	for _, root := range roots {
		err := in.AddTree(name, root, func(path string) bool {
			if strings.HasPrefix(filepath.Join(root, filepath.FromSlash(path)), dir+string(filepath.Separator)) {
				return false
			}
			base := filepath.Base(path)
			if base == augmentation.File {
				return false
			}
			return strings.HasSuffix(base, ".go") || slices.Contains([]string{"go.mod", "go.sum", "go.work"}, base)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// moduleRoot returns dir or its nearest parent folder that has a go.mod.
func moduleRoot(dir string) (string, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if root := gomodule.Root(at); root != "" {
		return root, nil
	}
	return "", errors.New("the packages are in no module")
}
