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

// place is a destination. Sources stand in it under their names; .work, which no
// source can be called, holds what is under way, on the same file system.
type place struct{ dir string }

func (p place) final(name string) string { return filepath.Join(p.dir, name) }
func (p place) work(file string) string  { return filepath.Join(p.dir, ".work", file) }
func (p place) stage(name string) string { return p.work(name + ".stage") }
func (p place) old(name string) string   { return p.work(name + ".old") }

// lock waits until no other run, of this process or another, works at the place.
func (p place) lock(ctx context.Context, report func(string)) (unlock func(), err error) {
	if err := os.MkdirAll(p.work(""), 0o755); err != nil {
		return nil, err
	}
	return filelock.Wait(ctx, p.work("lock"), func() {
		report(fmt.Sprintf("waiting for another run at %s", p.dir))
	})
}

// settle undoes what a run that was killed left behind: its stage is removed, and a
// tree that it had put aside comes back unless the new one already stands.
func (p place) settle(name string) error {
	if _, err := os.Lstat(p.final(name)); errors.Is(err, fs.ErrNotExist) {
		if err := os.Rename(p.old(name), p.final(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return p.clear(name)
}

// clear removes what is never of use again.
func (p place) clear(name string) error {
	return errors.Join(os.RemoveAll(p.old(name)), os.RemoveAll(p.stage(name)))
}

// install puts the staged tree in the place of what stands there.
func (p place) install(name string) error {
	err := os.Rename(p.final(name), p.old(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(p.stage(name), p.final(name)); err != nil {
		return errors.Join(err, p.settle(name))
	}
	return p.clear(name)
}
