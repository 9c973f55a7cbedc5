package settings

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/semver"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/build/modules"
)

// File is the name of the settings below the root of the repository.
const File = "releases.yaml"

// Settings are the content of releases.yaml. Modules are named by their folders.
type Settings struct {
	Sets       []Set             `json:"sets"`
	Apart      []string          `json:"apart"`      // modules that go.work does not use
	Unreleased map[string]string `json:"unreleased"` // modules that are not released, each with the reason
	Formats    []Format          `json:"formats"`
	Generated  *Generated        `json:"generated"`
	Records    []Record          `json:"records"`
	Checks     []Check           `json:"checks"`
	Images     bool              `json:"images"` // whether images of the commands are built twice and compared
	Licences   []string          `json:"licences"`
	Excepted   map[string]string `json:"licenceOf"` // modules whose licence no program recognizes, with its name
	Versions   map[string]string `json:"versions"`
}

// Set has modules that share the first two numbers of their versions.
type Set struct {
	Name    string   `json:"name"`
	Modules []string `json:"modules"`
}

// Format is something that users rely on and that Go does not check.
type Format struct {
	Name   string   `json:"name"`
	Module string   `json:"module"` // what has to be released with a higher version
	Files  []string `json:"files"`  // patterns below the root
	// May is what may happen to the files: add files, add members of JSON, add lines, or change.
	May     string   `json:"may"`
	Between []string `json:"between"` // the two lines that enclose the format, if it is a part of the file
	Ignore  []string `json:"ignore"`  // members of JSON that are for readers only
}

// What may happen to the files of a format.
const (
	AddFiles   = "add files"
	AddMembers = "add members"
	AddLines   = "add lines"
	AnyChange  = "change"
)

// Generated is the output of a generator on an example.
type Generated struct {
	Module   string   `json:"module"`   // of the generator
	Command  []string `json:"command"`  // package and arguments
	Inputs   []string `json:"inputs"`   // folders of the example
	Output   string   `json:"output"`   // the module that the generator writes
	Stay     []string `json:"stay"`     // patterns below the output: files that must not change
	Runtime  string   `json:"runtime"`  // the module that generated code calls
	Constant string   `json:"constant"` // the constant of the runtime that generated code names, without its number
}

// Record is what a release adds to the repository for the tests of later ones: the output of a
// command, or a copy of files.
type Record struct {
	Module string   `json:"module"`
	Run    []string `json:"run"` // a command; VERSION stands for the version
	Copy   string   `json:"copy"`
	To     string   `json:"to"` // the folder of the copy; VERSION stands for the version
}

// Check is a command that must succeed before a release.
type Check struct {
	Name string   `json:"name"`
	Run  []string `json:"run"`
}

// Read reads the settings of a workspace, and checks them. It returns the workspace with the
// modules outside of go.work that are released.
func Read(w *modules.Workspace) (*Settings, *modules.Workspace, error) {
	data, err := os.ReadFile(filepath.Join(w.Root, File))
	if err != nil {
		return nil, nil, fmt.Errorf("read settings of releases: %w", err)
	}
	s := &Settings{}
	if err := yaml.UnmarshalStrict(data, s); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", File, err)
	}
	all, err := w.With(s.Apart...)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", File, err)
	}
	return s, all, s.check(all)
}

// check checks settings for a workspace.
func (s *Settings) check(w *modules.Workspace) error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(File+": "+format, args...)) }
	in := map[string]int{}
	for _, set := range s.Sets {
		for _, name := range set.Modules {
			in[name]++
			if _, err := w.Module(name); err != nil {
				wrong("%w", err)
			}
		}
	}
	for _, m := range w.Modules {
		reason, isUnreleased := s.Unreleased[m.Name]
		switch {
		case in[m.Name] > 1:
			wrong("%s is in two sets", m.Name)
		case in[m.Name] == 0 && !isUnreleased:
			wrong("%s is in no set; if it is not released, name it in unreleased with the reason", m.Name)
		case in[m.Name] > 0 && isUnreleased:
			wrong("%s is in a set and unreleased", m.Name)
		case isUnreleased && reason == "":
			wrong("%s is unreleased without a reason", m.Name)
		}
	}
	for name, version := range s.Versions {
		if in[name] == 0 {
			wrong("versions has %s, which is in no set", name)
		}
		if semver.Canonical(version) != version {
			wrong("%s has the version %q; write it as v1.2.3", name, version)
		}
	}
	for _, f := range s.Formats {
		if in[f.Module] == 0 {
			wrong("the module of %s is %q, which is in no set", f.Name, f.Module)
		}
		if !slices.Contains([]string{AddFiles, AddMembers, AddLines, AnyChange}, f.May) {
			wrong("%s may %q; it may add files, add members, add lines, or change", f.Name, f.May)
		}
		if len(f.Between) != 0 && len(f.Between) != 2 {
			wrong("%s needs two lines in between", f.Name)
		}
	}
	for _, set := range s.Sets {
		errs = append(errs, s.agree(set))
	}
	return errors.Join(errs...)
}

// agree checks that the modules of a set share the first two numbers of their versions.
func (s *Settings) agree(set Set) error {
	shared := ""
	for _, name := range set.Modules {
		version := s.Versions[name]
		if version == "" {
			continue
		}
		if shared != "" && semver.MajorMinor(version) != shared {
			return fmt.Errorf("%s: modules of the set %s have versions %s and %s; they share the first two numbers", File, set.Name, shared, version)
		}
		shared = semver.MajorMinor(version)
	}
	return nil
}

// Released returns the folders of the modules that are released, in the order of the workspace.
func (s *Settings) Released(w *modules.Workspace) []modules.Module {
	var out []modules.Module
	for _, m := range w.Modules {
		if s.SetOf(m.Name) != nil {
			out = append(out, m)
		}
	}
	return out
}

// SetOf returns the set of a module, or nil if it has none.
func (s *Settings) SetOf(name string) *Set {
	for i := range s.Sets {
		if slices.Contains(s.Sets[i].Modules, name) {
			return &s.Sets[i]
		}
	}
	return nil
}

// begin is the line before the versions, which are the last member of the file.
const begin = "\nversions:"

// WithVersions returns the text of settings with other versions.
func WithVersions(text []byte, versions map[string]string) ([]byte, error) {
	at := bytes.Index(text, []byte(begin))
	if at < 0 {
		return nil, fmt.Errorf("%s: no versions at the end", File)
	}
	out := bytes.NewBuffer(slices.Clone(text[:at]))
	out.WriteString(begin + "\n")
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		fmt.Fprintf(out, "  %s: %s\n", name, versions[name])
	}
	return out.Bytes(), nil
}
