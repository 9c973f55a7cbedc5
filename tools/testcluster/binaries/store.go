package binaries

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/filelock"
	"github.com/stratakube/strata/tools/build/programs"
)

// store is a folder of folders, one for each recipe's key. A program is there completely or not
// at all.
type store struct {
	dir    string
	report func(string)
}

const (
	staging = "building"
	unused  = 14 * 24 * time.Hour // after which a folder is removed, when there is a newer one
	still   = 30 * time.Second    // between two lines about one program
)

func (s store) build(ctx context.Context, r recipe, programs []Program) (Folder, error) {
	folder := Folder(filepath.Join(s.dir, r.key))
	if err := os.MkdirAll(string(folder), 0o755); err != nil {
		return "", fmt.Errorf("build programs: %w", err)
	}
	if len(folder.lacking(programs)) > 0 {
		if err := s.complete(ctx, r, folder, programs); err != nil {
			return "", err
		}
	}
	now := time.Now()
	return folder, os.Chtimes(string(folder), now, now)
}

// complete builds the missing programs, while no other process does.
func (s store) complete(ctx context.Context, r recipe, folder Folder, programs []Program) error {
	unlock, err := filelock.Wait(ctx, filepath.Join(s.dir, "lock"), func() {
		s.report("waiting for another process that builds the programs of a cluster")
	})
	if err != nil {
		return err
	}
	defer unlock()
	missing := folder.lacking(programs)
	if len(missing) == 0 {
		return nil
	}
	s.report(fmt.Sprintf("building %s of Kubernetes %s: that takes 3 to 10 minutes, once", names(missing), r.version))
	stage := filepath.Join(s.dir, staging)
	if err := os.RemoveAll(stage); err != nil { // of a process that was killed
		return fmt.Errorf("build programs: %w", err)
	}
	for i, p := range missing {
		if err := s.one(ctx, r, p, Folder(stage), folder); err != nil {
			return err
		}
		s.report(fmt.Sprintf("built %s, %d of %d", p.name, i+1, len(missing)))
	}
	return errors.Join(os.RemoveAll(stage), s.prune(folder))
}

func (s store) one(ctx context.Context, r recipe, p Program, stage, folder Folder) error {
	defer s.every(still, fmt.Sprintf("still building %s", p.name))()
	if err := programs.Build(ctx, command.In{Dir: r.module, Env: environ}, stage.Path(p), p.path, r.flags...); err != nil {
		return err
	}
	if err := os.Rename(stage.Path(p), folder.Path(p)); err != nil {
		return fmt.Errorf("build %s: %w", p.name, err)
	}
	return nil
}

// every reports a line again and again, with the time that has passed, until it is stopped.
func (s store) every(d time.Duration, line string) (stop func()) {
	ticker, stopped, ended := time.NewTicker(d), make(chan struct{}), make(chan struct{})
	start := time.Now()
	go func() {
		defer close(ended)
		for {
			select {
			case <-ticker.C:
				s.report(fmt.Sprintf("%s: %s so far", line, time.Since(start).Round(time.Second)))
			case <-stopped:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(stopped)
		<-ended
	}
}

// prune removes folders of other recipes that no run has used in a while.
func (s store) prune(folder Folder) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("remove old programs: %w", err)
	}
	var errs []error
	for _, entry := range entries {
		info, err := entry.Info()
		path := filepath.Join(s.dir, entry.Name())
		if err == nil && entry.IsDir() && path != string(folder) && time.Since(info.ModTime()) > unused {
			errs = append(errs, os.RemoveAll(path))
		}
	}
	return errors.Join(errs...)
}
