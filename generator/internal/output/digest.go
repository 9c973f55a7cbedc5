package output

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// Inputs collects everything that a run depends on, to compute a digest. The names identify inputs
// and are part of the digest; folders on the disk are not. The zero value is empty. It is not safe
// for concurrent use.
type Inputs struct {
	// Sums, if not nil, spares reading files whose state is unchanged.
	Sums *Sums

	items []input
}

type input struct {
	name string
	file string // "" if sum is set
	sum  Digest
}

// AddBytes adds data in memory: flags, versions, a config.
func (in *Inputs) AddBytes(name string, body []byte) {
	in.items = append(in.items, input{name: name, sum: sha256.Sum256(body)})
}

// AddFile adds a file. A missing file is a state like any other.
func (in *Inputs) AddFile(name, file string) {
	in.items = append(in.items, input{name: name, file: file})
}

// AddFiles adds files below a folder by their slash paths.
func (in *Inputs) AddFiles(name, dir string, paths []string) {
	for _, p := range paths {
		in.AddFile(path.Join(name, p), onDisk(dir, p))
	}
}

// AddStates adds files below a folder by size and time only: files that a run may read, but usually
// does not.
func (in *Inputs) AddStates(name, dir string, paths []string) error {
	for _, p := range paths {
		info, err := os.Stat(onDisk(dir, p))
		if err != nil {
			return fmt.Errorf("digest inputs: %w", err)
		}
		in.AddBytes(path.Join(name, p), fmt.Appendf(nil, "%d %d", info.Size(), info.ModTime().UnixNano()))
	}
	return nil
}

// AddTree adds all files below a folder whose slash path wanted accepts; nil accepts all. A missing
// folder is empty.
func (in *Inputs) AddTree(name, dir string, wanted func(path string) bool) error {
	paths, err := tree(dir, wanted)
	in.AddFiles(name, dir, paths)
	return err
}

// AddExecutable adds the running program: its path, size and time, and its build information.
// Reading its bytes in every run would take too long.
func (in *Inputs) AddExecutable() error {
	file, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the executable: %w", err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("find the executable: %w", err)
	}
	built, _ := debug.ReadBuildInfo()
	in.AddBytes("executable", fmt.Appendf(nil, "%q %d %d %v", file, info.Size(), info.ModTime().UnixNano(), built))
	return nil
}

// Digest reads and hashes all inputs concurrently. It does not depend on the order in which they
// were added.
func (in *Inputs) Digest(ctx context.Context) (Digest, error) {
	lines := make([]string, len(in.items))
	err := each(ctx, len(in.items), func(w *worker, i int) error {
		item := in.items[i]
		there := true
		if item.file != "" {
			var err error
			item.sum, err = in.Sums.sum(w, item.file)
			there = !errors.Is(err, fs.ErrNotExist)
			if err != nil && there {
				return fmt.Errorf("digest inputs: %w", err)
			}
		}
		lines[i] = fmt.Sprintf("%q %t %s\n", item.name, there, item.sum)
		return nil
	})
	if err != nil {
		return Digest{}, err
	}
	slices.Sort(lines)
	return sha256.Sum256([]byte(strings.Join(lines, ""))), nil
}

// HandWritten returns the hand-written Go files below an output folder: those without the header.
// It omits folders whose name starts with a dot.
func HandWritten(dir string, previous *Manifest) ([]string, error) {
	return HandWrittenBelow(dir, previous, nil)
}

// HandWrittenBelow is like [HandWritten], for the given folders of the output folder alone; nil
// means all.
func HandWrittenBelow(dir string, previous *Manifest, folders []string) ([]string, error) {
	ours := map[string]bool{}
	if previous != nil {
		for _, row := range previous.Files {
			ours[row.Path] = true
		}
	}
	var w worker
	var failed error
	wanted := func(name string) bool {
		if path.Ext(name) != ".go" || ours[name] {
			return false
		}
		body, err := w.read(onDisk(dir, name))
		failed = errors.Join(failed, err)
		return err == nil && !hasHeader(body)
	}
	if folders == nil {
		paths, err := tree(dir, wanted)
		return paths, errors.Join(err, failed)
	}
	var all []string
	for _, folder := range folders {
		paths, err := tree(onDisk(dir, folder), func(name string) bool { return wanted(path.Join(folder, name)) })
		failed = errors.Join(failed, err)
		for _, name := range paths {
			all = append(all, path.Join(folder, name))
		}
	}
	slices.Sort(all)
	return all, failed
}

// tree returns the files below a folder, sorted, without dot folders.
func tree(dir string, wanted func(path string) bool) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case name == dir && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("list files: %w", err)
		case entry.IsDir() && name != dir && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		}
		relative, err := filepath.Rel(dir, name)
		if slashed := filepath.ToSlash(relative); err == nil && (wanted == nil || wanted(slashed)) {
			paths = append(paths, slashed)
		}
		return err
	})
	slices.Sort(paths)
	return paths, err
}
