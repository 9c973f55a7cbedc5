package output

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// bounds limit the folder of stamps. The oldest stamps beyond them are removed.
type bounds struct {
	stamps int
	bytes  int64
	age    time.Duration
}

// usual bounds suffice for many projects and work trees, each with up to four files: a stamp of
// 3,000 files takes 400 KiB, and their states as much again.
var usual = bounds{stamps: 600, bytes: 256 << 20, age: 90 * 24 * time.Hour}

var (
	stampName  = regexp.MustCompile(`^[0-9a-f]{64}\.(json|inputs|outputs|index)$`)
	hiddenName = regexp.MustCompile(`^\.[0-9a-f]{64}\.(json|inputs|outputs|index)\.strata-` + tokens + `$`)
)

// prune removes the stamps of a folder that exceed its bounds, and remains of killed runs. It does
// not remove kept. It is safe while other runs use the folder, since files are removed and never
// changed. A lost stamp costs a run time and nothing else.
func prune(folder, kept string, now time.Time, b bounds) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var stamps []fs.FileInfo
	var failed []error
	for _, entry := range entries {
		info, err := entry.Info()
		switch {
		case err != nil || !info.Mode().IsRegular(): // another run has removed it, or it is not a stamp
		case stampName.MatchString(info.Name()) && info.Name() != kept:
			stamps = append(stamps, info)
		case info.Name() == kept:
			b.stamps, b.bytes = b.stamps-1, b.bytes-info.Size()
		case hiddenName.MatchString(info.Name()) && now.Sub(info.ModTime()) >= abandoned:
			failed = append(failed, removed(folder, info.Name()))
		}
	}
	slices.SortFunc(stamps, func(x, y fs.FileInfo) int {
		return cmp.Or(y.ModTime().Compare(x.ModTime()), cmp.Compare(x.Name(), y.Name()))
	})
	for _, info := range stamps {
		b.stamps, b.bytes = b.stamps-1, b.bytes-info.Size()
		if b.stamps < 0 || b.bytes < 0 || now.Sub(info.ModTime()) > b.age {
			failed = append(failed, removed(folder, info.Name()))
		}
	}
	return errors.Join(failed...)
}

// removed removes a file that may be gone already.
func removed(folder, name string) error {
	if err := os.Remove(filepath.Join(folder, name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// touch records the use of a stamp, so that it is not the first to be removed.
func touch(file string, now time.Time) { _ = os.Chtimes(file, now, now) }
