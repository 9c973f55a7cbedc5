package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stratakube/strata/tools/build/filelock"
)

// destination is the folder of fetched sources, each below its name. Its folder .work, which no
// source can be called, has unfinished files on the same file system.
type destination struct{ dir string }

func (p destination) final(name string) string { return filepath.Join(p.dir, name) }
func (p destination) work(file string) string  { return filepath.Join(p.dir, ".work", file) }
func (p destination) stage(name string) string { return p.work(name + ".stage") }
func (p destination) old(name string) string   { return p.work(name + ".old") }

// lock waits until no other run, of this process or another, works in the folder.
func (p destination) lock(ctx context.Context, report func(string)) (unlock func(), err error) {
	if err := os.MkdirAll(p.work(""), 0o755); err != nil {
		return nil, err
	}
	return filelock.Wait(ctx, p.work("lock"), func() {
		report(fmt.Sprintf("waiting for another run at %s", p.dir))
	})
}

// recover restores the state before a killed run: it removes the stage, and moves the old tree
// back unless the new one exists.
func (p destination) recover(name string) error {
	if _, err := os.Lstat(p.final(name)); errors.Is(err, fs.ErrNotExist) {
		if err := os.Rename(p.old(name), p.final(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return p.clear(name)
}

// clear removes stage and old tree.
func (p destination) clear(name string) error {
	return errors.Join(os.RemoveAll(p.old(name)), os.RemoveAll(p.stage(name)))
}

// install replaces the tree by the staged one.
func (p destination) install(name string) error {
	err := os.Rename(p.final(name), p.old(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(p.stage(name), p.final(name)); err != nil {
		return errors.Join(err, p.recover(name))
	}
	return p.clear(name)
}
