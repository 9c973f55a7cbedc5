// Package lock reads and writes the lock file of a folder of plugins. It lists the trusted
// programs, by their SHA-256, and what they serve. With it a host refuses all other programs, and
// starts one only when it is used:
//
//	plugins, err := lock.Load("/plugins")
//	h, err := host.Open(host.Options{Plugins: plugins})
//
// strata plugin verify --write writes it.
package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/host"
)

// Name is the name of the file in the folder of the plugins.
const Name = "strata-plugins.lock"

// File is the lock of a folder.
type File struct {
	Version int     `json:"version"`
	Plugins []Entry `json:"plugins"` // by their names
}

// version is the version of the format.
const version = 1

// Entry is one program.
type Entry struct {
	File   string   `json:"file"` // its name in the folder
	SHA256 string   `json:"sha256"`
	Serves []Served `json:"serves"`
	// Environment lists the variables of the host that the program gets, such as AZURE_TENANT_ID or
	// AZURE_*, beside host.Harmless.
	Environment []string `json:"environment,omitempty"`
}

// Served is a version of a kind under a name.
type Served struct {
	Kind    string `json:"kind"`
	Version int    `json:"version"`
	Name    string `json:"name"`
}

var digest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Read reads the lock file of a folder. The error is fs.ErrNotExist if there is none.
func Read(folder string) (*File, error) {
	data, err := os.ReadFile(filepath.Join(folder, Name))
	if err != nil {
		return nil, fmt.Errorf("read lock: %w", err)
	}
	f, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("read lock: %s: %w", filepath.Join(folder, Name), err)
	}
	return f, nil
}

func parse(data []byte) (*File, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	f := &File{}
	if err := decoder.Decode(f); err != nil {
		return nil, err
	}
	if f.Version != version {
		return nil, fmt.Errorf("it has version %d, and only %d is known", f.Version, version)
	}
	var wrong []error
	for _, e := range f.Plugins {
		if !fs.ValidPath(e.File) || strings.Contains(e.File, "/") || e.File == "." {
			wrong = append(wrong, fmt.Errorf("%q is not the name of a file in the folder", e.File))
		}
		if !digest.MatchString(e.SHA256) {
			wrong = append(wrong, fmt.Errorf("%s: %q is not a SHA-256", e.File, e.SHA256))
		}
		if err := host.CheckEnvironment(e.Environment); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", e.File, err))
		}
	}
	return f, errors.Join(wrong...)
}

// Load reads the lock file of a folder and returns its plugins, for a host.
func Load(folder string) ([]host.Plugin, error) {
	f, err := Read(folder)
	if err != nil {
		return nil, err
	}
	var plugins []host.Plugin
	for _, e := range f.Plugins {
		plugins = append(plugins, e.plugin(folder))
	}
	return plugins, nil
}

func (e Entry) plugin(folder string) host.Plugin {
	p := host.Plugin{
		Path: filepath.Join(folder, e.File), Digest: e.SHA256, Serves: []contract.Served{},
		Environment: append([]string{}, e.Environment...), // not nil: variables that are not listed are not passed
	}
	for _, s := range e.Serves {
		p.Serves = append(p.Serves, contract.Served{ID: contract.ID{Kind: s.Kind, Number: s.Version}, Name: s.Name})
	}
	return p
}

// EntryOf locks a program to its present content, and to what it serves.
func EntryOf(p host.Plugin, serves []contract.Served) Entry {
	e := Entry{File: filepath.Base(p.Path), SHA256: p.Digest, Serves: []Served{}}
	for _, s := range serves {
		e.Serves = append(e.Serves, Served{s.Kind, s.Number, s.Name})
	}
	return e
}

// Write writes the lock file of a folder.
func (f *File) Write(folder string) error {
	f.Version = version
	slices.SortFunc(f.Plugins, func(a, b Entry) int { return strings.Compare(a.File, b.File) })
	data, err := json.MarshalIndent(f, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, Name), append(data, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	return nil
}

// Programs returns the executable files in a folder, each locked to its present content.
func Programs(folder string) ([]host.Plugin, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("look for plugins: %w", err)
	}
	var plugins []host.Plugin
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(folder, e.Name()))
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		p, err := host.Lock(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		plugins = append(plugins, p)
	}
	return plugins, nil
}
