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

// Run is the output of one run, and what it knows of the previous run.
type Run struct {
	// Dir is the output folder, which may not exist.
	Dir string
	// Files are all files of the run except for the manifest, in any order.
	Files []File
	// Resources and Omitted are the rows of the new manifest.
	Resources []Resource
	Omitted   []Omitted
	// Previous is the manifest of the previous run; nil if there is none.
	Previous *Manifest
	// Owns reports whether this run is responsible for a path; nil means all. Other files stay
	// unchanged, on disk and in the manifest.
	Owns func(path string) bool
	// Rest, if not nil, has the rows of the previous manifest that Previous lacks.
	Rest *Rest
}

// Compare determines the changes in the output folder, and writes nothing. An error about files
// that are in the way is a *diag.Failure that lists them all.
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

// comparison holds the state of one call of Compare.
type comparison struct {
	Run
	previous map[string]Digest
	states   []state // of Files
	stale    []Change
	vacated  []string  // stale files that are already gone
	left     []FileSum // rows of the previous manifest that stay unchanged
	messages diag.List
}

// state is the state of one file of the run on disk.
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

// on returns the path on disk of a path below the output folder.
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
		c.reportObstacle(file.Path, err)
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

// isEdited reports whether the user changed a generated file. It returns an error if the user wrote
// the file.
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
			WithHint("strata generate overwrites it: put hand-written code into files of its own"))
	}
	return edited
}

func (c *comparison) handWritten(name string) {
	c.messages.Add(diag.Errorf(diag.InFile(c.on(name)), "a hand-written file is in the way of a generated one").
		WithHint("rename it, or remove it to have it generated"))
}

func (c *comparison) reportObstacle(name string, err error) {
	what := "a file is at the path of a folder"
	if errors.Is(err, errIsFolder) {
		what = "a folder is at the path of a generated file"
	}
	c.messages.Add(diag.Errorf(diag.InFile(c.on(name)), "%s", what).WithHint("rename or remove it"))
}

// changes collects the changes, and adds the manifest to them.
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
	body, err := c.Rest.marshal(out.Manifest)
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
