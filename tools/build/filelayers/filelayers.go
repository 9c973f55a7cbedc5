package filelayers

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Circle is a set of files of a package in which every file uses every other one, directly or
// through other files of the set.
type Circle struct {
	Package string
	Files   []string // sorted
	// Uses are the uses between these files, such as "a.go uses Decode of b.go", sorted.
	Uses []string
}

// String names the package and the files.
func (c Circle) String() string { return c.Package + ": " + strings.Join(c.Files, " ") }

// Circles lists the circles in packages of the module in dir, by package and first file.
func Circles(ctx context.Context, dir string, patterns ...string) ([]Circle, error) {
	const mode = packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedSyntax |
		packages.NeedTypes | packages.NeedTypesInfo | packages.NeedExportFile
	loaded, err := packages.Load(&packages.Config{Context: ctx, Mode: mode, Dir: dir}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("load packages: %w", err)
	}
	var all []Circle
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("load %s: %w", p.PkgPath, p.Errors[0])
		}
		all = append(all, usesOf(p).circles(p.PkgPath)...)
	}
	slices.SortFunc(all, func(a, b Circle) int { return strings.Compare(a.String(), b.String()) })
	return all, nil
}

// uses has the names that a file uses of another one, by both files.
type uses map[string]map[string]map[string]bool

func usesOf(p *packages.Package) uses {
	u := uses{}
	for name, object := range p.TypesInfo.Uses {
		if object.Pkg() != p.Types || !isDeclared(object) {
			continue
		}
		from, to := fileOf(p.Fset, name.Pos()), fileOf(p.Fset, object.Pos())
		if from != to {
			u.add(from, to, object.Name())
		}
	}
	return u
}

// isDeclared reports whether an object is a declaration of its package, or a method.
func isDeclared(object types.Object) bool {
	f, isFunction := object.(*types.Func)
	return object.Parent() == object.Pkg().Scope() || isFunction && f.Signature().Recv() != nil
}

func fileOf(files *token.FileSet, at token.Pos) string {
	return filepath.Base(files.Position(at).Filename)
}

func (u uses) add(from, to, name string) {
	if u[from] == nil {
		u[from] = map[string]map[string]bool{}
	}
	if u[from][to] == nil {
		u[from][to] = map[string]bool{}
	}
	u[from][to][name] = true
}

func (u uses) circles(path string) []Circle {
	reached := map[string]map[string]bool{}
	for file := range u {
		reached[file] = map[string]bool{}
		u.reach(file, reached[file])
	}
	var all []Circle
	for _, file := range slices.Sorted(maps.Keys(u)) {
		var files []string
		for other := range reached[file] {
			if reached[other][file] {
				files = append(files, other)
			}
		}
		slices.Sort(files)
		if len(files) > 0 && files[0] == file {
			all = append(all, Circle{path, files, u.between(files)})
		}
	}
	return all
}

// reach adds the files that a file uses, directly or through others.
func (u uses) reach(file string, reached map[string]bool) {
	for other := range u[file] {
		if !reached[other] {
			reached[other] = true
			u.reach(other, reached)
		}
	}
}

func (u uses) between(files []string) []string {
	var lines []string
	for _, from := range files {
		for _, to := range files {
			if names := u[from][to]; len(names) > 0 {
				lines = append(lines, fmt.Sprintf("%s uses %s of %s", from, strings.Join(slices.Sorted(maps.Keys(names)), ", "), to))
			}
		}
	}
	return lines
}
