package output

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/stratakube/strata/generator/internal/diag"
)

// Run is what one run has made, and what it knows of the run before.
type Run struct {
	// Dir is the output folder; it need not exist.
	Dir string
	// Files are all files of the run but the manifest, in any order.
	Files []File
	// Resources and Omitted are the rows of the new manifest.
	Resources []Resource
	Omitted   []Omitted
	// Previous is the manifest of the run before, nil if there is none.
	Previous *Manifest
	// Owns tells for which paths this run speaks; nil means all. Others stay as
	// they are, on disk and in the manifest.
	Owns func(path string) bool
}

// Compare decides what is to be done in the output folder, and writes nothing.
// An error about files in the way is a *diag.Failure that names them all.
func Compare(ctx context.Context, run Run) (*Changes, error) {
	if err := checkPaths(run.Files); err != nil {
		return nil, fmt.Errorf("generated files: %w", err)
	}
	c := newComparison(run)
	if err := c.compareFiles(ctx); err != nil {
		return nil, err
	}
	if err := c.findStale(ctx); err != nil {
		return nil, err
	}
	if err := c.findStrangers(ctx); err != nil {
		return nil, err
	}
	if err := c.messages.Err(); err != nil {
		return nil, err
	}
	return c.changes()
}

// comparison is a run on its way to Changes.
type comparison struct {
	Run
	previous map[string]Digest
	states   []state // of Files
	stale    []Change
	vacated  []string  // stale files that are gone already
	left     []FileSum // rows of the previous manifest that stay as they are
	messages diag.List
}

// state is what became of one file of the run.
type state struct {
	sum    Digest
	change Action
	edited bool
}

func newComparison(run Run) *comparison {
	c := &comparison{Run: run, previous: map[string]Digest{}, states: make([]state, len(run.Files))}
	c.Files = slices.SortedFunc(slices.Values(run.Files), func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	if c.Owns == nil {
		c.Owns = func(string) bool { return true }
	}
	if run.Previous != nil {
		for _, row := range run.Previous.Files {
			c.previous[row.Path] = row.SHA256
		}
	}
	return c
}

// on gives a path below the output folder as the operating system takes it.
func (c *comparison) on(name string) string { return onDisk(c.Dir, name) }

func (c *comparison) compareFiles(ctx context.Context) error {
	return each(ctx, len(c.Files), func(w *worker, i int) (err error) {
		c.states[i], err = c.compareFile(w, c.Files[i])
		return err
	})
}

func (c *comparison) compareFile(w *worker, file File) (state, error) {
	s := state{sum: sha256.Sum256(file.Body)}
	there, err := w.read(c.on(file.Path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.change = Create
	case errors.Is(err, errIsFolder), errors.Is(err, syscall.ENOTDIR):
		c.inTheWay(file.Path, err)
	case err != nil:
		return s, fmt.Errorf("compare with the output folder: %w", err)
	case bytes.Equal(there, file.Body):
		s.change = Keep
	default:
		s.change = Update
		s.edited = c.isEdited(file.Path, there)
	}
	return s, nil
}

// isEdited reports whether people changed a generated file; that they wrote it is
// an error.
func (c *comparison) isEdited(name string, there []byte) bool {
	sum, known := c.previous[name]
	switch classOf(name) {
	case kept:
		return false
	case byHeader:
		if !hasHeader(there) {
			c.handWritten(name)
			return false
		}
	case byManifest:
		if !known && !hasHeader(there) {
			c.handWritten(name)
			return false
		}
	}
	edited := known && sum != sha256.Sum256(there)
	if edited {
		c.messages.Add(diag.Warnf(diag.InFile(c.on(name)), "a generated file was edited by hand").
			WithHint("strata generate overwrites it: keep what people write in files of their own"))
	}
	return edited
}

func (c *comparison) handWritten(name string) {
	c.messages.Add(diag.Errorf(diag.InFile(c.on(name)), "a hand-written file is in the way of a generated one").
		WithHint("rename it, or remove it to have it generated"))
}

func (c *comparison) inTheWay(name string, err error) {
	what := "a file stands where a folder is needed"
	if errors.Is(err, errIsFolder) {
		what = "a folder stands where a file is to be generated"
	}
	c.messages.Add(diag.Errorf(diag.InFile(c.on(name)), "%s", what).WithHint("rename or remove it"))
}

// changes gathers the decision, and adds the manifest to it.
func (c *comparison) changes() (*Changes, error) {
	out := &Changes{Dir: c.Dir, List: c.stale, vacated: c.vacated, Outputs: c.left, Messages: c.messages.Messages()}
	out.Manifest = &Manifest{
		Version: ManifestVersion, Resources: c.Resources, Omitted: c.Omitted, Files: slices.Clone(c.left),
	}
	for i, file := range c.Files {
		row := FileSum{Path: file.Path, SHA256: c.states[i].sum}
		if classOf(file.Path) != kept {
			out.Manifest.Files = append(out.Manifest.Files, row)
		}
		out.add(file, c.states[i])
	}
	body, err := out.Manifest.Marshal()
	if err != nil {
		return nil, err
	}
	manifest := File{Path: ManifestFile, Body: body}
	s, err := c.compareFile(new(worker), manifest)
	if err != nil {
		return nil, err
	}
	out.add(manifest, s)
	out.sort()
	return out, c.messages.Err()
}
