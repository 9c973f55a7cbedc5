package fetch

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// folder is an unpacked tree, given by the user or standing at a destination.
type folder struct{ dir string }

func (f folder) read(ctx context.Context, want *selection, limits Limits, visit visit) error {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	count := 0
	return fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err = errors.Join(err, context.Cause(ctx)); err != nil || path == "." {
			return err
		}
		if count++; count > limits.Files {
			return refuse("more than %d entries", limits.Files)
		}
		if entry.IsDir() || !want.match(path) {
			return nil
		}
		return f.take(ctx, root, path, entry, visit)
	})
}

func (f folder) take(ctx context.Context, root *os.Root, path string, entry fs.DirEntry, visit visit) error {
	if err := checkPath(path); err != nil {
		return err
	}
	if !entry.Type().IsRegular() {
		return refuse("%s is a %s; only plain files are taken", path, describe(entry.Type()))
	}
	in, err := root.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	return visit(path, guarded{ctx, in})
}

func describe(mode fs.FileMode) string {
	if mode&fs.ModeSymlink != 0 {
		return "link"
	}
	return "special file"
}

// treeOf hashes every file below dir. Anything but a plain file or folder is an error.
func treeOf(ctx context.Context, dir string, limits Limits) (*tree, error) {
	t := anyTree(limits)
	err := folder{dir}.read(ctx, newSelection([]string{"**"}), limits, func(path string, in io.Reader) error {
		return t.add(path, in)
	})
	return t, err
}
