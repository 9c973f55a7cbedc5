package changes

import (
	"context"
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"

	"github.com/stratakube/strata/tools/build/modules"
)

// api are the packages of a module that others can import, and its commands, by import path.
type api struct {
	packages map[string]*types.Package
	commands map[string]bool
}

// load loads the API of a module of an extracted tree.
func load(ctx context.Context, root string, m modules.Module) (*api, error) {
	dir, work, pattern := root, filepath.Join(root, "go.work"), m.Pattern()
	if m.IsApart {
		dir, work, pattern = filepath.Join(root, filepath.FromSlash(m.Name)), "off", "./..."
	}
	config := &packages.Config{
		Context: ctx, Dir: dir,
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedExportFile | packages.NeedImports,
		Env:  append(os.Environ(), "GOWORK="+work),
	}
	loaded, err := packages.Load(config, pattern)
	if err != nil {
		return nil, fmt.Errorf("load packages of %s: %w", m.Name, err)
	}
	out := &api{map[string]*types.Package{}, map[string]bool{}}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("load %s: %w", p.PkgPath, p.Errors[0])
		}
		switch {
		case isInternal(p.PkgPath):
		case p.Name == "main":
			out.commands[p.PkgPath] = true
		case p.Types != nil:
			out.packages[p.PkgPath] = p.Types
		}
	}
	return out, nil
}

func isInternal(path string) bool {
	return slices.Contains(strings.Split(path, "/"), "internal")
}

// compareAPIs compares two APIs by the rules of gorelease.
func compareAPIs(before, after *api) []Change {
	var out []Change
	for _, path := range slices.Sorted(maps.Keys(before.packages)) {
		now := after.packages[path]
		if now == nil {
			out = append(out, Change{path, Major, "the package was removed"})
			continue
		}
		for _, c := range apidiff.Changes(before.packages[path], now).Changes {
			bump := Major
			if c.Compatible {
				bump = Minor
			}
			out = append(out, Change{path, bump, c.Message})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(after.packages)) {
		if before.packages[path] == nil {
			out = append(out, Change{path, Minor, "the package was added"})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(before.commands)) {
		if !after.commands[path] {
			out = append(out, Change{path, Major, "the command was removed"})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(after.commands)) {
		if !before.commands[path] {
			out = append(out, Change{path, Minor, "the command was added"})
		}
	}
	return out
}

// compareRequirements finds what a module newly requires of the programs that import it. Siblings
// are left out: their versions are set when they are released.
func compareRequirements(before, after string, m modules.Module, w *modules.Workspace) ([]Change, error) {
	was, err := modules.ReadMod(filepath.Join(before, filepath.FromSlash(m.Name)))
	if err != nil {
		return nil, err
	}
	is, err := modules.ReadMod(filepath.Join(after, filepath.FromSlash(m.Name)))
	if err != nil {
		return nil, err
	}
	var out []Change
	if was.Go != nil && is.Go != nil && semver.Compare("v"+is.Go.Version, "v"+was.Go.Version) > 0 {
		out = append(out, Change{"go.mod", Minor, fmt.Sprintf("it requires Go %s instead of %s", is.Go.Version, was.Go.Version)})
	}
	versions := map[string]string{}
	for _, r := range was.Require {
		versions[r.Mod.Path] = r.Mod.Version
	}
	for _, r := range is.Require {
		last, version := versions[r.Mod.Path], r.Mod.Version
		if r.Indirect || isSibling(w, r.Mod.Path) || last == version {
			continue
		}
		switch {
		case last == "":
			out = append(out, Change{"go.mod", Minor, fmt.Sprintf("it requires %s", r.Mod)})
		case semver.MajorMinor(last) != semver.MajorMinor(version) && semver.Compare(version, last) > 0:
			out = append(out, Change{"go.mod", Minor, fmt.Sprintf("it requires %s instead of %s", r.Mod, last)})
		}
	}
	return out, nil
}

func isSibling(w *modules.Workspace, path string) bool {
	return slices.ContainsFunc(w.Modules, func(m modules.Module) bool { return m.Path == path })
}
