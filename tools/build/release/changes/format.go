package changes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/build/release/settings"
)

// compareFormat compares the files of a format in two trees.
func compareFormat(before, after string, f settings.Format) ([]Change, error) {
	was, err := matching(before, f.Files)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	is, err := matching(after, f.Files)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	if len(is) == 0 {
		return nil, fmt.Errorf("%s: no file matches %s", f.Name, strings.Join(f.Files, ", "))
	}
	var out []Change
	for _, name := range slices.Sorted(maps.Keys(was)) {
		now, ok := is[name]
		switch {
		case !ok:
			out = append(out, Change{f.Name, Major, name + " was removed"})
		case !bytes.Equal(was[name], now):
			changes, err := compareFile(was[name], now, f)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", f.Name, name, err)
			}
			for _, c := range changes {
				out = append(out, Change{f.Name, c.Bump, name + ": " + c.Text})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if _, ok := was[name]; !ok {
			out = append(out, Change{f.Name, Minor, name + " was added"})
		}
	}
	return out, nil
}

// matching returns the files below root that match a pattern.
func matching(root string, patterns []string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, pattern := range patterns {
		names, err := doublestar.Glob(os.DirFS(root), pattern, doublestar.WithFilesOnly())
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if out[name], err = os.ReadFile(filepath.Join(root, filepath.FromSlash(name))); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// compareFile compares two contents of a file. The changes have no API.
func compareFile(was, is []byte, f settings.Format) ([]Change, error) {
	if len(f.Between) == 2 {
		var err error
		if was, err = between(was, f.Between); err != nil {
			return nil, err
		}
		if is, err = between(is, f.Between); err != nil {
			return nil, err
		}
	}
	switch f.May {
	case settings.AddLines:
		return compareLines(was, is), nil
	case settings.AddMembers:
		return compareJSON(was, is, f.Ignore)
	case settings.AnyChange:
		return []Change{{Bump: Minor, Text: "changed"}}, nil
	default:
		return []Change{{Bump: Major, Text: "changed; a release must not change it"}}, nil
	}
}

func between(text []byte, lines []string) ([]byte, error) {
	_, rest, begins := bytes.Cut(text, []byte(lines[0]+"\n"))
	part, _, ends := bytes.Cut(rest, []byte(lines[1]+"\n"))
	if !begins || !ends {
		return nil, fmt.Errorf("no lines %q and %q", lines[0], lines[1])
	}
	return part, nil
}

func compareLines(was, is []byte) []Change {
	before, after := strings.Split(strings.TrimSpace(string(was)), "\n"), strings.Split(strings.TrimSpace(string(is)), "\n")
	var out []Change
	for _, line := range before {
		if !slices.Contains(after, line) {
			out = append(out, Change{Bump: Major, Text: fmt.Sprintf("the line %q was removed or changed", line)})
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			out = append(out, Change{Bump: Minor, Text: fmt.Sprintf("the line %q was added", line)})
		}
	}
	return out
}

// compareJSON compares two documents of JSON or YAML. Members may be added; what was there must not
// change.
func compareJSON(was, is []byte, ignore []string) ([]Change, error) {
	var before, after any
	if err := unmarshal(was, &before); err != nil {
		return nil, err
	}
	if err := unmarshal(is, &after); err != nil {
		return nil, err
	}
	return compareValues("", before, after, ignore), nil
}

func unmarshal(text []byte, into *any) error {
	if json.Valid(text) {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		return decoder.Decode(into)
	}
	return yaml.Unmarshal(text, into)
}

func compareValues(at string, was, is any, ignore []string) []Change {
	before, wasObject := was.(map[string]any)
	after, isObject := is.(map[string]any)
	if !wasObject || !isObject {
		if reflect.DeepEqual(was, is) {
			return nil
		}
		return compareLists(at, was, is)
	}
	var out []Change
	for _, name := range slices.Sorted(maps.Keys(before)) {
		value, ok := after[name]
		switch {
		case slices.Contains(ignore, name):
		case !ok:
			out = append(out, Change{Bump: Major, Text: at + "/" + name + " was removed"})
		default:
			out = append(out, compareValues(at+"/"+name, before[name], value, ignore)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, ok := before[name]; !ok && !slices.Contains(ignore, name) {
			out = append(out, Change{Bump: Minor, Text: at + "/" + name + " was added"})
		}
	}
	return out
}

// compareLists compares values that are not both objects. A list may have further elements, as an
// enum with further values.
func compareLists(at string, was, is any) []Change {
	changed := []Change{{Bump: Major, Text: at + " was changed"}}
	before, wasList := was.([]any)
	after, isList := is.([]any)
	if !wasList || !isList {
		return changed
	}
	for _, value := range before {
		if !slices.ContainsFunc(after, func(other any) bool { return reflect.DeepEqual(value, other) }) {
			return changed
		}
	}
	if len(after) == len(before) || strings.HasSuffix(at, "/required") {
		return changed
	}
	return []Change{{Bump: Minor, Text: at + " has further elements"}}
}

// filesBelow returns the files of a folder, by their names below it.
func filesBelow(dir string) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		out[path.Clean(filepath.ToSlash(relative))], err = os.ReadFile(name)
		return err
	})
	return out, err
}
