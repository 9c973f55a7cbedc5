package output

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/stratakube/strata/generator/internal/diag"
)

// Run is the output of one run, and what it knows of the previous run.
type Run struct {
	// Dir is the output folder, which may not exist.
	Dir string
	// Files are the files of the run except for the manifest and those that Add compares, in any
	// order.
	Files []File
	// Resources and Omitted are the rows of the new manifest.
	Resources []Resource
	Omitted   []Omitted
	// Previous is the manifest of the previous run; nil if there is none.
	Previous *Manifest
	// Owns reports whether this run is responsible for a path; nil means all. Other files stay
	// unchanged, on disk and in the manifest. It is called by End.
	Owns func(path string) bool
	// Rest, if not nil, has the rows of the previous manifest that Previous lacks.
	Rest *Rest
	// Bodies is where files that differ are kept until Apply.
	Bodies Bodies
}

// Bodies is where the bytes of files are that differ from those on disk.
type Bodies uint8

// The values of Bodies.
const (
	InMemory Bodies = iota
	// OnStage files are in a hidden folder of the output folder, so that a run of any size needs
	// little memory.
	OnStage
	// Nowhere is for a run that writes nothing.
	Nowhere
)

// Compare determines the changes in the output folder, and writes nothing. An error about files
// that are in the way is a *diag.Failure that lists them all. The bodies of the run must be in
// memory, or nowhere.
func Compare(ctx context.Context, run Run) (*Changes, error) { return Begin(run).End(ctx) }

// Comparison compares the files of a run with those on disk.
type Comparison struct {
	Run
	previous map[string]Digest
	stage    lazyStage

	mu       sync.Mutex
	compared []comparedFile
	messages diag.List

	stale   []Change
	vacated []string  // stale files that are already gone
	left    []FileSum // rows of the previous manifest that stay unchanged
}

// comparedFile is a file of the run, and its state on disk.
type comparedFile struct {
	Change
	sum Digest
}

// Begin begins a comparison. The caller must close it if its bodies are on stage.
func Begin(run Run) *Comparison {
	c := &Comparison{Run: run, previous: map[string]Digest{}, stage: lazyStage{dir: run.Dir}}
	if run.Previous != nil {
		for _, row := range run.Previous.Files {
			c.previous[row.Path] = row.SHA256
		}
	}
	return c
}

// Add compares files with those on disk. It is safe for concurrent use. If a file cannot be written
// to the stage, the error is an [UnwritableError].
func (c *Comparison) Add(ctx context.Context, files ...File) error {
	w := workers.Get().(*worker)
	defer workers.Put(w)
	for _, file := range files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := c.add(w, file); err != nil {
			return err
		}
	}
	return nil
}

func (c *Comparison) add(w *worker, file File) error {
	if err := checkPath(file.Path); err != nil {
		return fmt.Errorf("generated files: %w", err)
	}
	found, err := c.compareFile(w, file)
	if err == nil {
		err = c.keep(&found)
	}
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.compared = append(c.compared, found)
	return nil
}

// keep keeps the bytes of a file, if it differs, until Apply.
func (c *Comparison) keep(file *comparedFile) error {
	switch {
	case file.Action == Keep, c.Bodies == Nowhere:
		file.body = nil
	case c.Bodies == OnStage && !isBeside(file.Path):
		s, err := c.stage.open()
		if err == nil {
			err = s.fill(file.Change)
		}
		if err != nil {
			return &UnwritableError{err}
		}
		file.body, file.isStaged = nil, true
	}
	return nil
}

// UnwritableError is an error of writing a file that differs to the output folder. Nothing has
// changed there.
type UnwritableError struct{ err error }

// Error returns the error of the system.
func (e *UnwritableError) Error() string { return e.err.Error() }

// Unwrap returns the error of the system.
func (e *UnwritableError) Unwrap() error { return e.err }

// Close removes the files that are on stage.
func (c *Comparison) Close() error { return c.stage.close() }

// End adds the files of the run, and determines the changes in the output folder.
func (c *Comparison) End(ctx context.Context) (*Changes, error) {
	if err := each(ctx, len(c.Files), func(w *worker, i int) error { return c.add(w, c.Files[i]) }); err != nil {
		return nil, err
	}
	slices.SortFunc(c.compared, func(a, b comparedFile) int { return strings.Compare(a.Path, b.Path) })
	if err := checkPaths(c.compared); err != nil {
		return nil, fmt.Errorf("generated files: %w", err)
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

// Sum returns the digest of a file in the manifest of the previous run, and false if that does not
// list the file.
func (c *Comparison) Sum(name string) (Digest, bool) {
	sum, known := c.previous[name]
	return sum, known
}

// owns reports whether the run is responsible for a path.
func (c *Comparison) owns(name string) bool { return c.Owns == nil || c.Owns(name) }

// on returns the path on disk of a path below the output folder.
func (c *Comparison) on(name string) string { return onDisk(c.Dir, name) }

func (c *Comparison) compareFile(w *worker, file File) (comparedFile, error) {
	out := comparedFile{Change{Path: file.Path, body: file.Body}, sha256.Sum256(file.Body)}
	isSame, err := w.contains(c.on(file.Path), file.Body)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		out.Action = Create
	case errors.Is(err, errIsFolder), errors.Is(err, syscall.ENOTDIR):
		c.reportObstacle(file.Path, err)
	case err != nil:
		return out, fmt.Errorf("compare with the output folder: %w", err)
	case isSame:
		out.Action = Keep
	default:
		out.Action = Update
		there, err := w.read(c.on(file.Path))
		if err != nil {
			return out, fmt.Errorf("compare with the output folder: %w", err)
		}
		out.Edited = c.isEdited(file.Path, there)
	}
	return out, nil
}

// isEdited reports whether the user changed a generated file. It returns an error if the user wrote
// the file.
func (c *Comparison) isEdited(name string, there []byte) bool {
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

func (c *Comparison) handWritten(name string) {
	c.messages.Add(diag.Errorf(diag.InFile(c.on(name)), "a hand-written file is in the way of a generated one").
		WithHint("rename it, or remove it to have it generated"))
}

func (c *Comparison) reportObstacle(name string, err error) {
	what := "a file is at the path of a folder"
	if errors.Is(err, errIsFolder) {
		what = "a folder is at the path of a generated file"
	}
	c.messages.Add(diag.Errorf(diag.InFile(c.on(name)), "%s", what).WithHint("rename or remove it"))
}

// changes collects the changes, and adds the manifest to them.
func (c *Comparison) changes() (*Changes, error) {
	out := &Changes{Dir: c.Dir, List: c.stale, vacated: c.vacated, Outputs: c.left, Messages: c.messages.Messages(), isNowhere: c.Bodies == Nowhere}
	out.Manifest = &Manifest{
		Version: ManifestVersion, Resources: c.Resources, Omitted: c.Omitted, Files: slices.Clone(c.left),
	}
	for _, file := range c.compared {
		if classOf(file.Path) != kept {
			out.Manifest.Files = append(out.Manifest.Files, FileSum{Path: file.Path, SHA256: file.sum})
		}
		out.add(file)
	}
	body, err := c.Rest.marshal(out.Manifest)
	if err != nil {
		return nil, err
	}
	manifest, err := c.compareFile(new(worker), File{Path: ManifestFile, Body: body})
	if err != nil {
		return nil, err
	}
	out.add(manifest)
	out.sort()
	if c.Bodies == OnStage {
		out.stage = &c.stage
	}
	return out, c.messages.Err()
}
