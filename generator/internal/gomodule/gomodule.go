package gomodule

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
)

// File is the name of the file that makes a folder a module.
const File = "go.mod"

// maxBytes is the largest go.mod that is read.
const maxBytes = 1 << 20

var moduleLine = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)"?`)

// Root returns the nearest folder with a go.mod, from dir upwards; "" if there is none. The folder
// need not exist. dir must be absolute.
func Root(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if info, err := os.Stat(filepath.Join(at, File)); err == nil && info.Mode().IsRegular() {
			return at
		}
		if filepath.Dir(at) == at {
			return ""
		}
	}
}

// ImportPath returns the import path of a folder by the module that it is in, and the go.mod. Both
// are empty if there is none, and the path is empty if the go.mod names no module.
func ImportPath(dir string) (importPath, file string) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return "", ""
	}
	root := Root(at)
	if root == "" {
		return "", ""
	}
	file = filepath.Join(root, File)
	info, err := os.Stat(file)
	if err != nil || info.Size() > maxBytes {
		return "", file
	}
	text, err := os.ReadFile(file)
	m := moduleLine.FindSubmatch(text)
	below, relErr := filepath.Rel(root, at)
	if err != nil || relErr != nil || m == nil {
		return "", file
	}
	return path.Join(string(m[1]), filepath.ToSlash(below)), file
}
