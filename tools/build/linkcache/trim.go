package linkcache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// unused is the time after which a program goes that was not used, as in Go's build cache.
const unused = 5 * 24 * time.Hour

// Trim removes the programs that were used least recently, so that the others have at most so many
// bytes. It also removes those that nobody has used for five days. It returns an error that names
// what it could not remove. Other runs may use the folder meanwhile.
func Trim(dir string, most int64) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("trim linked programs: %w", err)
	}
	var all []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	var errs []error
	size := int64(0)
	for _, info := range all {
		var goes bool
		age := time.Since(info.ModTime())
		if strings.Contains(info.Name(), partial) {
			goes = age > time.Hour // no process takes so long to write one
		} else {
			size += info.Size()
			goes = age > unused || size > most
		}
		if !goes {
			continue
		}
		if err := os.Remove(filepath.Join(dir, info.Name())); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
