package ledger

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/parallel"
)

// Read reads the ledger in a folder. It returns an empty ledger if there is none, also if the
// folder's name is that of a file, which the writer reports. The error is a *diag.Failure with
// all errors in the ledger.
func Read(ctx context.Context, dir string) (*Ledger, error) { return ReadPart(ctx, dir, nil) }

// ReadPart is like [Read], but reads only the entries of wanted resource types; nil means all. The
// result has no other entries, so its index must not be written.
func ReadPart(ctx context.Context, dir string, wanted func(resourceType string) bool) (*Ledger, error) {
	name := filepath.Join(dir, IndexFile)
	body, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return &Ledger{}, nil
	}
	var list diag.List
	if err != nil {
		list.Errorf(diag.InFile(name), "read the ledger: %v", err)
		return nil, list.Err()
	}
	rows, err := parseIndex(name, body)
	if err != nil {
		list.AddError(err)
		return nil, list.Err()
	}
	if wanted != nil {
		rows = slices.DeleteFunc(rows, func(r indexRow) bool { return !wanted(r.Type) })
	}
	l := readEntries(ctx, dir, rows, &list)
	if err := cmp.Or(ctx.Err(), list.Err()); err != nil {
		return nil, err
	}
	return l, nil
}

// readEntries reads the files of all resources in parallel.
func readEntries(ctx context.Context, dir string, rows []indexRow, list *diag.List) *Ledger {
	out := &Ledger{Entries: make([]*Entry, len(rows))}
	parallel.For(ctx, len(rows), runtime.GOMAXPROCS(0), func(i int) { out.Entries[i] = readEntry(dir, rows[i], list) })
	return out
}

func readEntry(dir string, row indexRow, list *diag.List) *Entry {
	name := filepath.Join(dir, filepath.FromSlash(row.File))
	body, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		list.Add(diag.Errorf(row.at(), "the ledger has lost the file %s", row.File).WithHint(restoreHint))
		return nil
	case err != nil:
		list.Errorf(diag.InFile(name), "read the ledger: %v", err)
		return nil
	}
	e, messages := parse(name, string(body))
	list.Add(messages...)
	if e == nil {
		return nil
	}
	if e.Model.Type != row.Type || e.Model.Kind != row.Kind {
		list.Add(diag.Errorf(row.at(), "the file %s is of %s %s, not of %s %s", row.File, e.Model.Type, e.Model.Kind, row.Type, row.Kind).WithHint(restoreHint))
	}
	e.File = row.File
	return e
}
