package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Resource is a row of a generated manifest.
type Resource struct {
	Source               struct{ Type, Version, File string }
	Group, Version, Kind string
	Plural, Package      string
	Storage              string // the label of its storage type
	Hub, Served          bool
}

// ID names the resource version.
func (r Resource) ID() ID { return NewID(r.Source.Type, r.Source.Version) }

// Folder is the folder of the resource's group below the output.
func (r Resource) Folder() string {
	_, below, _ := strings.Cut(r.Package, "/api/")
	folder, _, _ := strings.Cut(below, "/")
	return folder
}

// Manifest is the list of generated files that a run reports.
type Manifest struct {
	Resources []Resource
	Omitted   []struct {
		Source struct{ Type, Version string }
		Reason string
	}
}

// ReadManifest reads the manifest of an output folder.
func ReadManifest(output string) (Manifest, error) {
	var m Manifest
	data, err := os.ReadFile(filepath.Join(output, "manifest.json"))
	if err != nil {
		return m, fmt.Errorf("read manifest: %w", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("read manifest: %w", err)
	}
	return m, nil
}

// Conflict is a property that is free JSON because the branches of a union conflict.
type Conflict struct {
	ID
	Path string
}

var conflictRow = regexp.MustCompile("(?m)^\\| (\\S+) \\| (\\S+) \\| `([^`]+)` \\| [^|]+ against [^|]+ \\|$")

// ReadConflicts reads all reports of conflicts below an output folder.
func ReadConflicts(output string) ([]Conflict, error) {
	files, err := filepath.Glob(filepath.Join(output, "reports", "*", "free-json.md"))
	if err != nil {
		return nil, fmt.Errorf("find reports: %w", err)
	}
	var all []Conflict
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read report: %w", err)
		}
		for _, row := range conflictRow.FindAllStringSubmatch(string(data), -1) {
			all = append(all, Conflict{NewID(row[1], row[2]), row[3]})
		}
	}
	return all, nil
}

// Size is how much was generated.
type Size struct {
	Files, Lines int
	Bytes        int64
}

// Plus adds up two sizes.
func (s Size) Plus(t Size) Size {
	return Size{s.Files + t.Files, s.Lines + t.Lines, s.Bytes + t.Bytes}
}

// Measured returns the sizes of the generated Go code below a folder: of the code, and of its
// tests.
func Measured(dir string) (code, tests Size, err error) {
	err = eachFile(dir, func(path string, body []byte) {
		size := Size{1, bytes.Count(body, []byte("\n")), int64(len(body))}
		switch {
		case strings.HasSuffix(path, "_test.go"):
			tests = tests.Plus(size)
		case strings.HasSuffix(path, ".go"):
			code = code.Plus(size)
		}
	})
	return code, tests, err
}
