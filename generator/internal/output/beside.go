package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// eachBeside calls do for each changed file beside the output folder. Its folder belongs to the
// author and is neither created nor removed. For a file to remove, the folder may be missing.
func (c *Changes) eachBeside(do func(folder *os.Root, change Change) error) error {
	for _, change := range c.List {
		if !isBeside(change.Path) || change.Action == Stranger {
			continue
		}
		if err := c.inFolder(change, do); err != nil {
			return fmt.Errorf("write %s: %w", change.Path, err)
		}
	}
	return nil
}

func (c *Changes) inFolder(change Change, do func(folder *os.Root, change Change) error) error {
	folder, err := os.OpenRoot(onDisk(c.Dir, path.Dir(change.Path)))
	switch {
	case change.Action == Remove && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	defer folder.Close()
	return do(folder, change)
}

// fillBeside writes files beside the output folder under hidden names.
func fillBeside(folder *os.Root, change Change) error {
	if change.Action == Remove {
		return nil
	}
	return fill(folder, hidden(BesideFile), change.body)
}

// showBeside renames files beside the output folder, and removes stale ones.
func showBeside(folder *os.Root, change Change) error {
	if change.Action != Remove {
		return folder.Rename(hidden(BesideFile), BesideFile)
	}
	if err := folder.Remove(BesideFile); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// dropBeside removes the files that fillBeside has written.
func dropBeside(folder *os.Root, _ Change) error { return folder.RemoveAll(hidden(BesideFile)) }
