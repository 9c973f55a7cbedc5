package source

import (
	"fmt"
	"io/fs"
	"slices"
)

// List lists all files below root, as slash paths, sorted. root is the name of the folder in
// messages.
func List(root string, files fs.FS) ([]string, error) {
	var paths []string
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list schemas below %s: %w", root, err)
	}
	slices.Sort(paths)
	return paths, nil
}
