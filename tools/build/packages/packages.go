package packages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
)

// Package is one package as the go command lists it.
type Package struct {
	ImportPath string
	Dir        string

	Imports      []string // of its files, tests aside
	TestImports  []string
	XTestImports []string

	GoFiles        []string // names in Dir, without tests
	IgnoredGoFiles []string // of other systems or tags
	TestGoFiles    []string
	XTestGoFiles   []string
}

// Files are the paths of all Go files of the package.
func (p Package) Files() []string {
	var paths []string
	for _, name := range slices.Concat(p.GoFiles, p.IgnoredGoFiles, p.TestGoFiles, p.XTestGoFiles) {
		paths = append(paths, filepath.Join(p.Dir, name))
	}
	return paths
}

// OfTests lists the imports of the package's tests, each once and sorted.
func (p Package) OfTests() []string {
	imports := slices.Concat(p.TestImports, p.XTestImports)
	slices.Sort(imports)
	return slices.Compact(imports)
}

// List lists all packages of the workspace.
func List(ctx context.Context, w *modules.Workspace) ([]Package, error) {
	fields := "-json=ImportPath,Dir,Imports,TestImports,XTestImports,GoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles"
	out, err := command.In{Dir: w.Root}.Output(ctx, "go", append([]string{"list", fields}, w.Patterns()...)...)
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	var all []Package
	for decoder := json.NewDecoder(strings.NewReader(out)); ; {
		var p Package
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list packages: %w", err)
		}
		all = append(all, p)
	}
}
