package output

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"syscall"

	"github.com/stratakube/strata/generator/internal/diag"
)

// findStale determines the changes for files of the previous run that this run does not make.
func (c *Comparison) findStale(ctx context.Context) error {
	made := make(map[string]bool, len(c.compared))
	for _, file := range c.compared {
		made[file.Path] = true
	}
	var gone []FileSum
	if c.Previous != nil {
		for _, row := range c.Previous.Files {
			switch {
			case made[row.Path]:
			case !c.owns(row.Path):
				c.left = append(c.left, row)
			default:
				gone = append(gone, row)
			}
		}
	}
	found := make([]*Change, len(gone))
	err := each(ctx, len(gone), func(w *worker, i int) (err error) {
		found[i], err = c.staleFile(w, gone[i])
		return err
	})
	for _, change := range found {
		switch {
		case change == nil:
		case change.Action == vacate:
			c.vacated = append(c.vacated, change.Path)
		default:
			c.stale = append(c.stale, *change)
		}
	}
	return err
}

// staleFile returns the removal of a file, or of its folder if the file is gone, or nil if it
// stays.
func (c *Comparison) staleFile(w *worker, row FileSum) (*Change, error) {
	there, err := w.read(c.on(row.Path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Change{Path: row.Path, Action: vacate}, nil
	case errors.Is(err, errIsFolder), errors.Is(err, syscall.ENOTDIR):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("look for stale files: %w", err)
	case classOf(row.Path) == kept:
		return nil, nil
	}
	edited := sha256.Sum256(there) != row.SHA256
	isGo := classOf(row.Path) == byHeader
	at := diag.InFile(c.on(row.Path))
	switch {
	case isGo && !hasHeader(there):
		c.messages.Add(diag.Notef(at, "no longer generated, and kept: it has lost the header, so it counts as hand-written"))
		return nil, nil
	case isGo && edited:
		c.messages.Add(diag.Warnf(at, "a generated file was edited by hand, and is no longer generated").
			WithHint("strata generate removes it: put hand-written code into files of its own"))
	case edited:
		c.messages.Add(diag.Errorf(at, "a generated file was edited by hand, and is no longer generated").
			WithHint("remove it, or move it out of the output folder"))
		return nil, nil
	}
	return &Change{Path: row.Path, Action: Remove, Edited: edited}, nil
}

// findStrangers warns of files with the header that no run made, in the folders of this run and the
// previous one.
func (c *Comparison) findStrangers(ctx context.Context) error {
	known := make(map[string]bool, len(c.compared)+len(c.previous))
	for _, file := range c.compared {
		known[file.Path] = true
	}
	for name := range c.previous {
		known[name] = true
	}
	found, err := strangers(ctx, c.Dir, known)
	for _, name := range found {
		if c.owns(name) {
			c.stale = append(c.stale, Change{Path: name, Action: Stranger})
			c.messages.Add(diag.Warnf(diag.InFile(c.on(name)), "the file has the header of strata, but no run generated it").
				WithHint("remove the file if it was left behind, or its first line if it is yours; until then strata generate --check fails"))
		}
	}
	return err
}

// strangers returns the Go files with the header that are not known, in the folders of known files.
func strangers(ctx context.Context, dir string, known map[string]bool) ([]string, error) {
	folders := foldersOf(known)
	found := make([][]string, len(folders))
	err := each(ctx, len(folders), func(w *worker, i int) error {
		entries, err := os.ReadDir(onDisk(dir, folders[i]))
		if err != nil {
			return nil // missing, or not a folder: nothing in it
		}
		for _, entry := range entries {
			name := path.Join(folders[i], entry.Name())
			if entry.IsDir() || known[name] || classOf(name) != byHeader {
				continue
			}
			body, err := w.read(onDisk(dir, name))
			if err != nil {
				return fmt.Errorf("look for generated files: %w", err)
			}
			if hasHeader(body) {
				found[i] = append(found[i], name)
			}
		}
		return nil
	})
	return slices.Concat(found...), err
}

func foldersOf(files map[string]bool) []string {
	folders := map[string]bool{}
	for name := range files {
		folders[path.Dir(name)] = true
	}
	sorted := make([]string, 0, len(folders))
	for folder := range folders {
		sorted = append(sorted, folder)
	}
	slices.Sort(sorted)
	return sorted
}
