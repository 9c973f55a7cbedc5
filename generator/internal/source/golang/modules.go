package golang

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/stratakube/strata/generator/internal/gomodule"
)

// batch is a set of packages that are loaded together, from one module or workspace.
type batch struct {
	config   packages.Config
	patterns []string
	isNested bool // found below `./...`
}

// loads divides the patterns into those that the go command finds from the configuration's folder,
// and those of other modules, which are not in its workspace.
func (o Options) loads(config packages.Config) ([]batch, error) {
	mine, _ := moduleOf(config.Dir)
	here := batch{config: config}
	var others []batch
	add := func(module, pattern string) *batch {
		i := slices.IndexFunc(others, func(l batch) bool { return l.config.Dir == module })
		if i < 0 {
			l := batch{config: config}
			l.config.Dir, l.config.Env = module, append(slices.Clip(config.Env), "GOWORK=off", "PWD="+module)
			i, others = len(others), append(others, l)
		}
		others[i].patterns = append(others[i].patterns, pattern)
		return &others[i]
	}
	for _, pattern := range o.Packages {
		folder, isLocal := folderOf(config.Dir, pattern)
		isTree := strings.HasSuffix(pattern, "...")
		module, within := moduleOf(folder)
		if isLocal && module != "" && module != mine && !isFound(config, pattern) {
			add(module, patternOf(within, isTree))
			continue
		}
		before := len(others)
		if isLocal && isTree {
			nested, err := o.nested(folder)
			if err != nil {
				return nil, err
			}
			for _, module := range nested {
				if below, err := filepath.Rel(config.Dir, module); err == nil && !isFound(config, patternOf(below, true)) {
					add(module, patternOf(".", true)).isNested = true
				}
			}
		}
		if module != "" || len(others) == before || isFound(config, pattern) {
			here.patterns = append(here.patterns, pattern)
		}
	}
	if paths := expanded(here.config, here.patterns); len(paths) > 0 {
		here.patterns = paths
	} else if len(others) > 0 {
		here.patterns = nil
	}
	for i := range others {
		others[i].patterns = expanded(others[i].config, others[i].patterns)
	}
	out := append([]batch{here}, others...)
	return slices.DeleteFunc(out, func(l batch) bool { return len(l.patterns) == 0 }), nil
}

// patternOf returns the pattern of a folder below another one.
func patternOf(below string, isTree bool) string {
	out := "./" + filepath.ToSlash(below)
	if isTree {
		out += "/..."
	}
	return out
}

// folderOf returns the folder that a pattern begins with; false for import paths.
func folderOf(dir, pattern string) (string, bool) {
	folder := filepath.FromSlash(strings.TrimSuffix(strings.TrimSuffix(pattern, "..."), "/"))
	switch {
	case filepath.IsAbs(folder):
		return folder, true
	case folder == "." || folder == ".." || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../"):
		return filepath.Join(dir, folder), true
	}
	return "", false
}

// moduleOf returns the nearest folder upwards with a go.mod, and the path of a folder below it. It
// returns nothing if there is none.
func moduleOf(folder string) (module, within string) {
	if folder == "" {
		return "", ""
	}
	if module = gomodule.Root(folder); module != "" {
		within, _ = filepath.Rel(module, folder)
	}
	return module, within
}

// Modules returns the folders of the modules that patterns of folders name, sorted.
func (o Options) Modules() []string {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, pattern := range append([]string{"."}, o.Packages...) {
		folder, _ := folderOf(dir, pattern)
		if module, _ := moduleOf(folder); module != "" {
			out = append(out, module)
		} else if folder != "" && pattern != "." {
			out = append(out, folder)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// isFound reports whether the go command finds the packages of a pattern.
func isFound(config packages.Config, pattern string) bool {
	config.Mode = packages.NeedName | packages.NeedFiles
	found, err := packages.Load(&config, pattern)
	return err == nil && len(found) > 0 && !slices.ContainsFunc(found, func(p *packages.Package) bool {
		return len(p.GoFiles) == 0 && slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return e.Kind == packages.ListError })
	})
}

// resourceMarkers are texts that a package with resources has.
var resourceMarkers = [][]byte{[]byte("+" + ours), []byte("+kubebuilder:object:root")}

// nested returns the folders of modules below a folder that have resources, but for modules that
// this generator writes, for this configuration or another one.
func (o Options) nested(folder string) ([]string, error) {
	var out []string
	err := walk(folder, func(path string, d fs.DirEntry) error {
		if !d.IsDir() || path == folder {
			return nil
		}
		name := gomodule.Name(path)
		if name == "" || o.isOutput(name) {
			return nil
		}
		has, err := hasResources(path)
		if has {
			out = append(out, path)
		}
		return err
	})
	return out, err
}

// hasResources reports whether Go files of a module have marks of resources. What a run has
// generated, for any configuration, does not count.
func hasResources(module string) (bool, error) {
	found := false
	err := walk(module, func(path string, d fs.DirEntry) error {
		if d.IsDir() {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != module {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		body, err := os.ReadFile(path)
		if err == nil && !bytes.HasPrefix(body, []byte(generatedHeader)) && slices.ContainsFunc(resourceMarkers, func(marker []byte) bool { return bytes.Contains(body, marker) }) {
			found, err = true, fs.SkipAll
		}
		return err
	})
	return found, err
}

// walk calls a function for all files and folders below a folder. As the go command does, it leaves
// out folders that are called vendor or testdata, or begin with a dot or an underscore.
func walk(folder string, call func(path string, d fs.DirEntry) error) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == folder && errors.Is(err, fs.ErrNotExist):
			return nil // another message says so
		case err != nil:
			return err
		case d.IsDir() && path != folder && isLeftOut(d.Name()):
			return fs.SkipDir
		}
		return call(path, d)
	})
}

func isLeftOut(folder string) bool {
	return folder == "vendor" || folder == "testdata" || strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_")
}

// expanded returns the import paths of the packages that patterns match. The loader loads each
// folder by itself, so that a package that two of them reach would have two instances, one without
// its types; it loads import paths together. If a pattern matches something that is no package, the
// result is the patterns themselves, whose errors the loader reports. If patterns match nothing, it
// is empty.
func expanded(config packages.Config, patterns []string) []string {
	if len(patterns) == 0 {
		return nil
	}
	config.Mode = packages.NeedName | packages.NeedFiles
	found, err := packages.Load(&config, patterns...)
	if err != nil {
		return patterns
	}
	var out []string
	for _, p := range found {
		switch {
		case len(p.Errors) > 0 && len(p.GoFiles) == 0:
			return patterns
		case len(p.GoFiles) > 0:
			out = append(out, p.PkgPath)
		}
	}
	return out
}
