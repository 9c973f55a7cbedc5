package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// Apply makes the changes. It first writes all files under hidden names. If that fails or the
// context ends, nothing has changed. It then renames the files and removes stale ones, which it
// does not interrupt (see [AwaitRenames]). The order is: the ledger, whose index follows its other
// files, so that the ledger never loses entries; removals; all other files; and the manifest. It
// removes the remains of killed runs, and does not follow links out of the folder. After an error
// in this phase some files are new and others are not. Each is complete, and the next run completes
// the work.
func (c *Changes) Apply(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if c.isNowhere {
		return errNowhere
	}
	if err := c.sweep(); err != nil {
		return fmt.Errorf("remove what a run that was killed has left behind: %w", err)
	}
	if len(c.List) == c.Count(Stranger) {
		return sweepStages(c.Dir) // openStage does it for other runs
	}
	lazy := c.stage
	if lazy == nil {
		lazy = &lazyStage{dir: c.Dir}
	}
	s, err := lazy.open()
	if err != nil {
		return err
	}
	turns := c.turns()
	if err = c.fill(ctx, s, turns); err == nil {
		err = whileRenaming(ctx, func() error { return c.show(s, turns) })
	}
	if err != nil {
		err = errors.Join(err, c.eachBeside(dropBeside))
	}
	return errors.Join(err, lazy.close())
}

// errNowhere is a fault of the caller: it has compared files to show the differences.
var errNowhere = errors.New("the run keeps no files to write")

// fill writes all files to the stage, and those beside the output folder to their folders.
func (c *Changes) fill(ctx context.Context, s *stage, turns [4][]Change) error {
	wrote := c.count(turns)
	for _, files := range turns {
		if err := s.fillAll(ctx, files, wrote); err != nil {
			return err
		}
	}
	if err := c.eachBeside(fillBeside); err != nil {
		return err
	}
	return s.checkAll(slices.Concat(turns[:]...))
}

// show renames all files to their final names.
func (c *Changes) show(s *stage, turns [4][]Change) error {
	for i, files := range turns {
		if i == removals {
			if err := c.remove(s.root); err != nil {
				return err
			}
			if err := c.eachBeside(showBeside); err != nil {
				return err
			}
		}
		for _, file := range files {
			if err := s.show(file.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// count reports each written file of all turns to the progress.
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

// turns returns the files to write, in order: the ledger's entries, its index, all other files, the
// manifest.
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

// Put writes files below a folder, which it creates if necessary. It writes none if an error occurs
// or the context ends before they get their names. A file that exists keeps its permissions.
func Put(ctx context.Context, dir string, files []File) error {
	var changes []Change
	for _, f := range files {
		if !fs.ValidPath(f.Path) || f.Path == "." {
			return fmt.Errorf("%q is not a path below %s", f.Path, dir)
		}
		changes = append(changes, Change{Path: f.Path, Action: Create, body: f.Body})
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	s, err := openStage(dir)
	if err != nil {
		return err
	}
	return errors.Join(s.put(ctx, changes), s.close())
}

func (s *stage) put(ctx context.Context, changes []Change) error {
	if err := s.fillAll(ctx, changes, func() {}); err != nil {
		return err
	}
	if err := s.checkAll(changes); err != nil {
		return err
	}
	for _, change := range changes {
		if err := s.keepMode(change.Path); err != nil {
			return err
		}
	}
	return whileRenaming(ctx, func() error {
		for _, change := range changes {
			if err := s.show(change.Path); err != nil {
				return err
			}
		}
		return nil
	})
}

// fill writes a file under a hidden name.
func fill(folder *os.Root, name string, body []byte) error {
	file, err := folder.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(body)
	return errors.Join(err, file.Close())
}

// remove removes stale files, and folders that are empty without them.
func (c *Changes) remove(root *os.Root) error {
	for _, change := range c.List {
		if change.Action != Remove || isBeside(change.Path) {
			continue
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

// removeEmpty removes a folder and its parents as far as they are empty.
func removeEmpty(root *os.Root, folder string) {
	for folder != "." && root.Remove(filepath.FromSlash(folder)) == nil {
		folder = path.Dir(folder)
	}
}
