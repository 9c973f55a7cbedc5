package openapi

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// limits of a file. Published ones stay below 3 MB and 40 levels.
var limits = syntax.Limits{Size: 32 << 20, Depth: 150, Values: 2 << 20}

// library knows the JSON and YAML files below the root, and stores those that others refer to.
type library struct {
	root  string
	files fs.FS
	known map[string]bool

	referred source.Referred[document.Document]
}

// open makes the library of a folder from its paths. root is the name of the folder in messages.
func open(root string, files fs.FS, paths []string) *library {
	lib := &library{root: root, files: files, known: map[string]bool{}}
	for _, name := range paths {
		switch strings.ToLower(path.Ext(name)) {
		case ".json", ".yaml", ".yml":
			lib.known[name] = true
		}
	}
	return lib
}

// read decodes a file. The error is a diag.Message.
func (l *library) read(path string) (*document.Document, error) {
	body, err := source.ReadFile(l.files, l.root, path, limits.Size)
	if err != nil {
		return nil, err
	}
	return document.Parse(path, filepath.Join(l.root, filepath.FromSlash(path)), body, limits)
}

// refer returns a file that another one refers to. It is decoded once.
func (l *library) refer(path string) (*document.Document, error) {
	return l.referred.File(path, l.read)
}
