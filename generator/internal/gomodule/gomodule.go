package gomodule

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
)

// File is the name of the file that makes a folder a module.
const File = "go.mod"

// workFile is the name of the file of a workspace.
const workFile = "go.work"

// maxBytes is the largest go.mod or go.work that is read.
const maxBytes = 1 << 20

var moduleLine = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)"?`)

// Root returns the nearest folder with a go.mod, from dir upwards; "" if there is none. The folder
// need not exist. dir must be absolute.
func Root(dir string) string { return above(dir, File) }

// Workspace returns the go.work of a folder; "" if there is none. dir must be absolute.
func Workspace(dir string) string {
	if root := above(dir, workFile); root != "" {
		return filepath.Join(root, workFile)
	}
	return ""
}

// above returns the nearest folder with a regular file of a name, from dir upwards.
func above(dir, name string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if isRegular(filepath.Join(at, name)) {
			return at
		}
		if filepath.Dir(at) == at {
			return ""
		}
	}
}

func isRegular(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// Read returns a go.mod or go.work; nil if it cannot be read, or is too large to be one.
func Read(file string) []byte {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxBytes {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return text
}

// Name returns the name of the module whose go.mod is in a folder; "" if there is none.
func Name(folder string) string {
	m := moduleLine.FindSubmatch(Read(filepath.Join(folder, File)))
	if m == nil {
		return ""
	}
	return string(m[1])
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
	name := Name(root)
	below, err := filepath.Rel(root, at)
	if err != nil || name == "" {
		return "", file
	}
	return path.Join(name, filepath.ToSlash(below)), file
}
