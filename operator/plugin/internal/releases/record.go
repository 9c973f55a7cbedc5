package releases

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/stratakube/strata/operator/plugin/contract"
)

// Release is the record of one release of the module.
type Release struct {
	Release string         `json:"release"`
	Kinds   map[string]int `json:"kinds"` // the newest version of each kind
}

// The files of the record, below the folder releases.
const (
	RecordFile    = "releases.json"
	InterfaceFile = "api.txt"
	FrameworkFile = "framework.txtar"
)

// Read reads the record, oldest first.
func Read(folder string) ([]Release, error) {
	data, err := os.ReadFile(filepath.Join(folder, RecordFile))
	if err != nil {
		return nil, fmt.Errorf("read releases: %w", err)
	}
	var all []Release
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("read releases: %s: %w", RecordFile, err)
	}
	return all, nil
}

// Newest returns the newest versions of kinds.
func Newest(kinds []contract.Kind) (map[string]int, error) {
	newest := map[string]int{}
	for _, kind := range kinds {
		terms, err := kind.Terms()
		if err != nil {
			return nil, err
		}
		newest[terms.Kind] = terms.Number
	}
	return newest, nil
}

var released = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.([0-9]+)(-[0-9a-z.]+)?$`)

// Follows reports what is wrong with a release that comes after another. Versions rise one at a
// time, and never in a patch release. A kind begins with version 1, and is never removed.
func Follows(before, r Release) error {
	parts := released.FindStringSubmatch(r.Release)
	if parts == nil {
		return fmt.Errorf("%q is not a release, such as v1.2.3", r.Release)
	}
	isPatch := parts[1] != "0"
	var wrong []error
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

// Interfaces returns the text of api.txt: the Go interfaces of all versions of kinds.
func Interfaces(kinds []contract.Kind) (string, error) {
	var out strings.Builder
	for _, kind := range kinds {
		all, err := kind.Interfaces()
		if err != nil {
			return "", err
		}
		for _, i := range all {
			fmt.Fprintf(&out, "%s %s\n", i.ID, i.Type)
			for _, method := range i.Methods {
				fmt.Fprintf(&out, "%s method %s\n", i.ID, method)
			}
		}
	}
	return out.String(), nil
}

// Changed compares the interfaces of a release with those of today. Later versions are not a
// change.
func Changed(then, now string) error {
	var wrong []error
	isReleased := map[string]bool{}
	for line := range strings.Lines(then) {
		id, _, _ := strings.Cut(line, " ")
		isReleased[id] = true
		if !strings.Contains(now, line) {
			wrong = append(wrong, fmt.Errorf("is gone or different: %s", strings.TrimSpace(line)))
		}
	}
	for line := range strings.Lines(now) {
		id, _, _ := strings.Cut(line, " ")
		if isReleased[id] && !strings.Contains(then, line) {
			wrong = append(wrong, fmt.Errorf("is new in a released version: %s", strings.TrimSpace(line)))
		}
	}
	return errors.Join(wrong...)
}
