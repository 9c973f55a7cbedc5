package scaffold

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Source is a folder that a front-end can generate an API from. Path is relative to the searched
// folder, with slashes. Include is empty if all files below it with the usual names are of the
// kind. Each Go package is a source of its own.
type Source struct {
	Kind, Path string
	Include    []string
	Files      int
}

// Found is the content of a folder.
type Found struct {
	// Module is the import path of the folder; empty if it is in no module.
	Module  string
	Sources []Source
}

// Limits of a search, which is meant for projects and not for whole disks.
const (
	maxFiles = 100_000
	maxBytes = 64 << 10 // of a file
	maxNames = 20       // in include
)

// Look searches a folder for sources of all kinds, and finds its module. Sources are sorted by kind
// and path. It skips generated code, hidden folders, vendored ones and test data.
func Look(ctx context.Context, dir string) (*Found, error) {
	l := looking{dir: dir, by: map[string][]string{}, all: map[string][]string{}}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		return l.entry(name, entry)
	})
	if err != nil {
		return nil, fmt.Errorf("look through %s: %w", dir, err)
	}
	out := &Found{Sources: l.sources()}
	out.Module, err = module(dir)
	return out, err
}

// looking holds the state of one search.
type looking struct {
	dir   string
	files int
	by    map[string][]string // files by kind; for Go packages their folders
	all   map[string][]string // files by extension
}

func (l *looking) entry(name string, entry fs.DirEntry) error {
	below, err := filepath.Rel(l.dir, name)
	if err != nil {
		return err
	}
	if entry.IsDir() {
		if below != "." && isPassedOver(entry.Name()) {
			return filepath.SkipDir
		}
		return nil
	}
	l.files++
	end := path.Ext(entry.Name())
	if l.files > maxFiles || !entry.Type().IsRegular() || !slices.Contains([]string{".go", ".json", ".yaml", ".yml"}, end) {
		return nil
	}
	below = filepath.ToSlash(below)
	l.all[end] = append(l.all[end], below)
	text, err := beginning(name)
	if err != nil {
		return err
	}
	switch kind := kindOf(below, text); {
	case kind == "go" && !slices.Contains(l.by[kind], path.Dir(below)):
		l.by[kind] = append(l.by[kind], path.Dir(below))
	case kind != "" && kind != "go":
		l.by[kind] = append(l.by[kind], below)
	}
	return nil
}

func isPassedOver(folder string) bool {
	return strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") || slices.Contains([]string{"vendor", "node_modules", "testdata"}, folder)
}

func beginning(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxBytes))
}

var (
	goMarker   = regexp.MustCompile(`(?m)^//\s*\+(strata:resource|kubebuilder:object:root=true)`)
	generated  = regexp.MustCompile(`(?m)^(//|#) Code generated .* DO NOT EDIT\.$`)
	definition = regexp.MustCompile(`(?m)^kind:\s*["']?CustomResourceDefinition["']?\s*$`)
	swagger    = regexp.MustCompile(`(?m)^(\s*"(swagger|openapi)"\s*:\s*"[23]\.|(swagger|openapi):\s*["']?[23]\.)`)
	resources  = regexp.MustCompile(`"([a-zA-Z]+_)?resourceDefinitions"\s*:`)
	typeIndex  = regexp.MustCompile(`^\s*\[\s*\{\s*"\$type"\s*:`)
)

// kindOf returns the kind of source of a file by its beginning; empty for none.
func kindOf(name string, text []byte) string {
	switch {
	case strings.HasSuffix(name, ".go"):
		if !strings.HasSuffix(name, "_test.go") && !generated.Match(text) && goMarker.Match(text) {
			return "go"
		}
	case generated.Match(text):
	case path.Base(name) == "types.json" && typeIndex.Match(text):
		return "bicep"
	case swagger.Match(text):
		return "openapi"
	case definition.Match(text), bytes.Contains(text, []byte(`"kind": "CustomResourceDefinition"`)):
		return "crd"
	case strings.HasSuffix(name, ".json") && resources.Match(text):
		return "arm"
	}
	return ""
}

// sources returns the sources of all kinds: one for each kind of tree, with the folder that
// contains all its files.
func (l *looking) sources() []Source {
	var out []Source
	for _, kind := range []string{"arm", "bicep", "crd", "openapi"} {
		if files := l.by[kind]; len(files) > 0 {
			root := aboveVersion(common(files))
			out = append(out, Source{Kind: kind, Path: root, Include: l.include(root, files), Files: len(files)})
		}
	}
	packages := l.by["go"]
	slices.Sort(packages)
	for _, dir := range packages {
		out = append(out, Source{Kind: "go", Path: dir, Files: 1})
	}
	return out
}

// common returns the folder that contains all files.
func common(files []string) string {
	dir := path.Dir(files[0])
	for _, f := range files[1:] {
		for dir != "." && !strings.HasPrefix(f, dir+"/") {
			dir = path.Dir(dir)
		}
	}
	return dir
}

// include returns globs for the files of a kind if other files below a folder have such names;
// empty otherwise.
func (l *looking) include(root string, files []string) []string {
	ends, others := map[string]bool{}, false
	for _, f := range files {
		ends[path.Ext(f)] = true
	}
	for end := range ends {
		others = others || slices.ContainsFunc(l.all[end], func(f string) bool { return isBelow(f, root) && !slices.Contains(files, f) })
	}
	if !others || len(files) > maxNames {
		return nil
	}
	var out []string
	for _, f := range files {
		out = append(out, strings.TrimPrefix(f, root+"/"))
	}
	slices.Sort(out)
	return out
}

var versionFolder = regexp.MustCompile(`/\d{4}-\d{2}-\d{2}(-[a-z0-9.-]+)?$`)

// aboveVersion returns the parent of a version's folder, since other versions will be beside it.
func aboveVersion(dir string) string { return versionFolder.ReplaceAllString(dir, "") }

func isBelow(file, dir string) bool { return dir == "." || strings.HasPrefix(file, dir+"/") }

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)"?`)

// module returns the import path of a folder, from the nearest go.mod upwards.
func module(dir string) (string, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for below := ""; ; {
		text, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if m := moduleLine.FindSubmatch(text); err == nil && m != nil {
			return path.Join(string(m[1]), below), nil
		}
		if filepath.Dir(at) == at {
			return "", nil
		}
		below = path.Join(filepath.Base(at), below)
		at = filepath.Dir(at)
	}
}
