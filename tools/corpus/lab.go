package corpus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stratakube/strata/tools/build/modules"
)

// Lab provides the means to run the generator on real schemas: the command, built from the
// workspace, the schemas, and a folder to write to. The folder is in memory if the system has
// enough.
type Lab struct {
	Corpora
	Command
	Workspace *modules.Workspace
	Dir       string
	Missing   error // why there are no real schemas, which wraps ErrNone; nil if there are
}

// OpenLab builds the command. A lab that is no longer used must be closed.
func OpenLab(ctx context.Context) (*Lab, error) {
	w, err := modules.Find(".")
	if err != nil {
		return nil, err
	}
	corpora, missing := Find(w.Root)
	if missing != nil && !errors.Is(missing, ErrNone) {
		return nil, missing
	}
	dir, err := os.MkdirTemp(memory(), labs)
	if err != nil {
		return nil, fmt.Errorf("open lab: %w", err)
	}
	l := &Lab{Corpora: corpora, Missing: missing, Workspace: w, Dir: dir}
	l.Command, err = Build(ctx, w, dir)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, removeOld(memory())
}

// Close removes the lab's folder.
func (l *Lab) Close() error {
	if err := os.RemoveAll(l.Dir); err != nil {
		return fmt.Errorf("close lab: %w", err)
	}
	return nil
}

// Project writes the configuration of a project in a folder of the lab.
func (l *Lab) Project(name string, p Project) (Project, error) {
	p.Dir = filepath.Join(l.Dir, name)
	if p.Schemas == "" {
		p.Schemas = l.Schemas()
	}
	return p, p.Write()
}

const (
	labs = "strata-corpus-*"
	old  = 12 * time.Hour
)

// removeOld removes labs of processes that had no time to do so.
func removeOld(dir string) error {
	if dir == "" {
		dir = os.TempDir()
	}
	all, err := filepath.Glob(filepath.Join(dir, labs))
	if err != nil {
		return fmt.Errorf("find old labs: %w", err)
	}
	for _, lab := range all {
		if info, err := os.Stat(lab); err == nil && time.Since(info.ModTime()) > old {
			if err := os.RemoveAll(lab); err != nil {
				return fmt.Errorf("remove old lab: %w", err)
			}
		}
	}
	return nil
}
