package releases

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Release is the record of one release of a module.
type Release struct {
	Release string         `json:"release"`
	Kinds   map[string]int `json:"kinds"` // the newest version of each kind
}

// The names of the record: its folder in the module, the list of releases in it, and the archive in
// the folder of each release.
const (
	Folder      = "releases"
	RecordFile  = "releases.json"
	ArchiveFile = "plugin.txtar"
)

// Read reads the record in a folder, oldest first. A folder without one has no releases.
func Read(folder string) ([]Release, error) {
	data, err := os.ReadFile(filepath.Join(folder, RecordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read releases: %w", err)
	}
	var all []Release
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("read releases: %s: %w", RecordFile, err)
	}
	return all, nil
}

var released = regexp.MustCompile(`^v([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})(?:-([0-9a-z.]+))?$`)

// compare orders the names of releases by semantic versioning. Both are as released matches them.
func compare(a, b string) int {
	x, y := released.FindStringSubmatch(a), released.FindStringSubmatch(b)
	for i := 1; i <= 3; i++ {
		if c := compareNumbers(x[i], y[i]); c != 0 {
			return c
		}
	}
	if x[4] == "" || y[4] == "" {
		return cmp.Compare(len(y[4]), len(x[4])) // a preview comes before its release
	}
	return slices.CompareFunc(strings.Split(x[4], "."), strings.Split(y[4], "."), compareParts)
}

// compareParts compares parts of the names of previews: numbers come before words.
func compareParts(a, b string) int {
	isWord := func(text string) int { return min(1, len(strings.Trim(text, "0123456789"))) }
	if c := cmp.Compare(isWord(a), isWord(b)); c != 0 || isWord(a) == 1 {
		return cmp.Or(c, cmp.Compare(a, b))
	}
	return compareNumbers(a, b)
}

// compareNumbers compares decimal numbers of any length.
func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// Follows reports errors of a release that comes after another one, which has no name before the
// first release. Names rise. Versions rise one at a time, and never in a patch release. A kind
// begins with version 1, and is never removed.
func Follows(before, r Release) error {
	parts := released.FindStringSubmatch(r.Release)
	if parts == nil {
		return fmt.Errorf("%q is not a release, such as v1.2.3", r.Release)
	}
	isPatch := strings.Trim(parts[3], "0") != ""
	var wrong []error
	if released.MatchString(before.Release) && compare(before.Release, r.Release) >= 0 {
		wrong = append(wrong, fmt.Errorf("it is not later than %s: record releases in their order", before.Release))
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Kinds)) {
		was, is := before.Kinds[kind], r.Kinds[kind]
		switch {
		case is < was:
			wrong = append(wrong, fmt.Errorf("%s falls from v%d to v%d", kind, was, is))
		case is > was+1:
			wrong = append(wrong, fmt.Errorf("%s rises from v%d to v%d, more than one version in a release", kind, was, is))
		case is > was && isPatch:
			wrong = append(wrong, fmt.Errorf("%s rises from v%d to v%d in a patch release", kind, was, is))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(before.Kinds)) {
		if _, ok := r.Kinds[kind]; !ok {
			wrong = append(wrong, fmt.Errorf("%s is gone", kind))
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return fmt.Errorf("release %s: %w", r.Release, err)
	}
	return nil
}

// Check reports releases that do not follow one another.
func Check(all []Release) error {
	var before Release
	var wrong []error
	for _, r := range all {
		wrong = append(wrong, Follows(before, r))
		before = r
	}
	return errors.Join(wrong...)
}
