package config

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/gomodule"
)

// checkFolders checks that source folders exist, and that the output folder is within the
// repository: outside, a mistake could remove unrelated files.
func (c *Config) checkFolders() error {
	var list diag.List
	for _, source := range c.Sources {
		for _, tree := range source.Trees() {
			c.checkRoot(&list, source, tree)
		}
	}
	c.checkOutput(&list)
	return list.Err()
}

func (c *Config) checkRoot(list *diag.List, source Source, tree *Tree) {
	root, pos := tree.Root, c.At(source.RootAt(tree))
	info, err := os.Stat(root)
	switch {
	case err != nil:
		list.Add(diag.Errorf(pos, "no such folder: %s", root).
			WithHint("paths are relative to the folder of %s", filepath.Base(c.File)))
	case !info.IsDir():
		list.Errorf(pos, "%s is a file, not a folder", root)
	case within(realPath(root), realPath(c.Output.Dir)):
		list.Add(diag.Errorf(c.At("output.dir"), "%s is within the sources %s", c.Output.Dir, root).
			WithHint("generated files must not be read as schemas"))
	}
}

func (c *Config) checkOutput(list *diag.List) {
	dir, pos := realPath(c.Output.Dir), c.At("output.dir")
	if filepath.Dir(dir) == dir {
		list.Add(diag.Errorf(pos, "the output folder is the root of the file system").WithHint("such as `%s`", examples["dir"]))
		return
	}
	repository := repository(realPath(c.Dir))
	if repository != "" && !within(repository, dir) {
		list.Add(diag.Errorf(pos, "%s is outside of the repository", c.Output.Dir).
			WithHint("the output must be below %s", repository))
	}
	if file := fileInPath(c.Output.Dir); file != "" {
		list.Errorf(pos, "%s is a file, not a folder", file)
		return
	}
	c.checkModule(list)
}

// checkModule checks that the import path of the output folder follows from its go.mod, if it is
// in a module: otherwise the generated packages could not import each other.
func (c *Config) checkModule(list *diag.List) {
	path, file := gomodule.ImportPath(realPath(c.Output.Dir))
	if path == "" || path == c.Output.Module {
		return
	}
	if relative, err := filepath.Rel(realPath(c.Dir), file); err == nil {
		file = filepath.Join(c.Dir, relative)
	}
	list.Add(diag.Errorf(c.At("output.module"), "the import path of %s is %s by %s, and not %s", c.Output.Dir, path, file, c.Output.Module).
		WithHint("write `module: %s`", path))
}

// fileInPath returns the path or its nearest existing parent, if that is not a folder; otherwise
// "".
func fileInPath(path string) string {
	for {
		if info, err := os.Stat(path); err == nil {
			if info.IsDir() {
				return ""
			}
			return path
		}
		if filepath.Dir(path) == path {
			return ""
		}
		path = filepath.Dir(path)
	}
}

// repository returns the nearest folder from dir upwards that contains .git, or "".
func repository(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// within reports whether path is folder or below it. Both must be real paths.
func within(folder, path string) bool {
	relative, err := filepath.Rel(folder, path)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator))
}

// realPath returns an absolute path, and follows links as far as the path exists.
func realPath(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	rest := ""
	for at := absolute; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if filepath.Dir(at) == at {
			return absolute
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
