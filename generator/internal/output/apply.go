package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// Apply does what was decided: the ledger first, for it must never forget, and
// of it the index after what it lists; then removals, then all other files, and
// the manifest last. Files, and folders that are new, have a hidden name until
// they are whole. Nothing is followed out of the folder by links. After an error
// or a cancelled context some files are new and some are not, none is
// half-written, and the next run completes the work.
func (c *Changes) Apply(ctx context.Context) error {
	if len(c.List) == c.Count(Stranger) {
		return ctx.Err()
	}
	turns := c.turns()
	wrote := c.count(turns)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return fmt.Errorf("make output folder: %w", err)
	}
	root, err := os.OpenRoot(c.Dir)
	if err != nil {
		return fmt.Errorf("open output folder: %w", err)
	}
	defer root.Close()
	for i, files := range turns {
		if i == removals {
			if err := c.remove(ctx, root); err != nil {
				return err
			}
			if err := c.applyBeside(ctx); err != nil {
				return err
			}
		}
		if err := write(ctx, root, files, wrote); err != nil {
			return err
		}
	}
	return nil
}

// count reports the files of all turns to the progress, as each is written.
func (c *Changes) count(turns [4][]Change) (wrote func()) {
	total := 0
	for _, files := range turns {
		total += len(files)
	}
	if c.Progress == nil {
		return func() {}
	}
	var done atomic.Int64
	c.Progress(0, total)
	return func() { c.Progress(int(done.Add(1)), total) }
}

// removals is the turn before which stale files are removed.
const removals = 2

// turns gives what is to be written in the order of doing: the ledger's
// entries, its index, all other files, the manifest.
func (c *Changes) turns() (turns [4][]Change) {
	for _, change := range c.List {
		if change.Action != Create && change.Action != Update || isBeside(change.Path) {
			continue
		}
		turn := removals
		switch {
		case change.Path == ManifestFile:
			turn = 3
		case path.Dir(change.Path) == LedgerDir:
			turn = 1
		case strings.HasPrefix(change.Path, LedgerDir+"/"):
			turn = 0
		}
		turns[turn] = append(turns[turn], change)
	}
	return turns
}

// write writes files that are sorted by path, folder by folder.
func write(ctx context.Context, root *os.Root, files []Change, wrote func()) error {
	var folders [][]Change
	for i, change := range files {
		if i == 0 || path.Dir(change.Path) != path.Dir(files[i-1].Path) {
			folders = append(folders, nil)
		}
		last := len(folders) - 1
		folders[last] = append(folders[last], change)
	}
	stage := newStage(root)
	err := each(ctx, len(folders), func(_ *worker, i int) error {
		if err := writeFolder(ctx, stage, folders[i], wrote); err != nil {
			return fmt.Errorf("write %s: %w", path.Dir(folders[i][0].Path), err)
		}
		return nil
	})
	if err != nil {
		return errors.Join(err, stage.drop())
	}
	return stage.show()
}

func writeFolder(ctx context.Context, stage *stage, files []Change, wrote func()) error {
	folder, isHidden, err := stage.open(path.Dir(files[0].Path))
	if err != nil {
		return err
	}
	defer folder.Close()
	put := writeFile
	if isHidden {
		put = fill
	}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := put(folder, path.Base(file.Path), file.body); err != nil {
			return err
		}
		wrote()
	}
	return nil
}

// Put writes a file of a folder that is there: whole, or not at all.
func Put(name string, body []byte) error {
	folder, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer folder.Close()
	return writeFile(folder, filepath.Base(name), body)
}

// writeFile writes to a neighbour of its own and renames it.
func writeFile(folder *os.Root, name string, body []byte) error {
	err := fill(folder, hidden(name), body)
	if err == nil {
		err = folder.Rename(hidden(name), name)
	}
	if err != nil {
		return errors.Join(err, folder.RemoveAll(hidden(name)))
	}
	return nil
}

// fill writes a file that nobody sees yet.
func fill(folder *os.Root, name string, body []byte) error {
	file, err := folder.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(body)
	return errors.Join(err, file.Close())
}

// remove removes stale files, and folders that are empty without them.
func (c *Changes) remove(ctx context.Context, root *os.Root) error {
	for _, change := range c.List {
		if change.Action != Remove || isBeside(change.Path) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := root.Remove(filepath.FromSlash(change.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove stale file: %w", err)
		}
		removeEmpty(root, path.Dir(change.Path))
	}
	for _, name := range c.vacated {
		if !isBeside(name) {
			removeEmpty(root, path.Dir(name))
		}
	}
	return nil
}

// removeEmpty removes a folder and those above it as far as they are empty.
func removeEmpty(root *os.Root, folder string) {
	for folder != "." && root.Remove(filepath.FromSlash(folder)) == nil {
		folder = path.Dir(folder)
	}
}
