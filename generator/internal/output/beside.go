package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// applyBeside writes and removes the files beside the output folder. Their folders are
// people's: they are neither made nor removed.
func (c *Changes) applyBeside(ctx context.Context) error {
	for _, change := range c.List {
		if !isBeside(change.Path) || change.Action == Stranger {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.oneBeside(change); err != nil {
			return fmt.Errorf("write %s: %w", change.Path, err)
		}
	}
	return nil
}

func (c *Changes) oneBeside(change Change) error {
	folder, err := os.OpenRoot(onDisk(c.Dir, path.Dir(change.Path)))
	switch {
	case change.Action == Remove && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	defer folder.Close()
	if change.Action != Remove {
		return writeFile(folder, BesideFile, change.body)
	}
	if err := folder.Remove(BesideFile); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
