package scaffold

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/stratakube/strata/generator/internal/gomodule"
)

// Source is a folder that a front-end can generate an API from. Path is relative to the searched
// folder, with slashes; that of Go packages may end in "...", as patterns of the go command do.
// Include is empty if all files below it with the usual names are of the kind.
type Source struct {
	Kind, Path string
	Include    []string
	Files      int
	// Releases are the folders below Path, the oldest first, that have the same CRDs as of several
	// releases; nil for none.
	Releases []string
}

// Found is the content of a folder.
type Found struct {
	// Module is the import path of the folder; empty if it is in no module.
	Module string
	// HasRuntime reports whether go.mod or go.work names Strata's runtime.
	HasRuntime bool
	// Sources are what an API can be generated from, sorted by kind and path.
	Sources []Source
	// Left are the files that look like sources, and are none, with the reason.
	Left []Left
	// Packages are the Go packages among the sources.
	Packages []Package
	// Programs are the Go files in which kubebuilder's markers say where to register a package.
	Programs []string
	// Build is what builds and installs the CRDs of the packages.
	Build Build
	// makesCopies reports whether make generate writes deep copies, as in projects of kubebuilder.
	makesCopies bool
	// goVersion is the version of Go that the module requires; empty if unknown.
	goVersion string
	// folders are those in the folder that Strata has not generated.
	folders []string
}

// Left is what was found and not taken.
type Left struct {
	Path, Why string
	Files     int
}

// maxNames is the largest number of files that a configuration lists.
const maxNames = 20

// found decides which of the files are sources. module is the import path of the folder.
func (l *looking) found(module string) *Found {
	out := &Found{Packages: l.packages, Programs: l.programs, folders: l.folders}
	files := l.schemas
	files["crd"] = out.crds(l.crds)
	for _, kind := range []string{"arm", "bicep", "crd", "openapi"} {
		for _, tree := range trees(files[kind]) {
			root := aboveVersion(common(tree))
			if root == "." {
				out.leave("the folder of the project cannot be a source; move it to a folder of its own", tree...)
				continue
			}
			source := Source{Kind: kind, Path: root, Include: l.include(root, tree), Files: len(tree)}
			if kind == "crd" {
				if source.Releases = l.releases(root, tree); source.Releases != nil {
					source.Include = nil
				}
			}
			out.Sources = append(out.Sources, source)
		}
	}
	out.Sources = append(out.Sources, l.patterns(module)...)
	return out
}

// releases returns the folders directly below a root, the oldest first, if each is named after a
// release, they have all files, and two of them declare the same kind; otherwise nil.
func (l *looking) releases(root string, files []string) []string {
	var folders []string
	first := map[GroupKind]string{}
	isRepeated := false
	for _, file := range l.crds {
		if !slices.Contains(files, file.name) {
			continue
		}
		name, _, isBelow := strings.Cut(strings.TrimPrefix(file.name, root+"/"), "/")
		if !isBelow || !semver.IsValid(release(name)) {
			return nil
		}
		folders = appendNew(folders, path.Join(root, name))
		for _, kind := range file.kinds {
			if first[kind] == "" {
				first[kind] = name
			}
			isRepeated = isRepeated || first[kind] != name
		}
	}
	if !isRepeated {
		return nil
	}
	slices.SortFunc(folders, func(a, b string) int { return semver.Compare(release(path.Base(a)), release(path.Base(b))) })
	return folders
}

// release returns the name of a folder as a semantic version.
func release(name string) string {
	if strings.HasPrefix(name, "v") {
		return name
	}
	return "v" + name
}

// crds returns the files whose CRDs nothing else here declares.
func (f *Found) crds(files []crdFile) []string {
	separate := map[GroupKind]bool{}
	for _, file := range files {
		for _, k := range file.kinds {
			separate[k] = separate[k] || !file.isBundle && !file.isTemplate
		}
	}
	var out []string
	for _, file := range files {
		switch {
		case file.isPatch:
			f.leave("a patch of a CRD", file.name)
		case len(file.kinds) > 0 && !slices.ContainsFunc(file.kinds, func(k GroupKind) bool { return !f.declares(k) }):
			f.leave("the Go packages declare its kinds", file.name)
		case file.isTemplate:
			f.leave("a template", file.name)
		case file.isBundle && !slices.ContainsFunc(file.kinds, func(k GroupKind) bool { return !separate[k] }):
			f.leave("its CRDs are in other files, too", file.name)
		case len(f.Packages) > 0:
			f.leave("the Go packages do not have its kinds; --source crd="+path.Dir(file.name)+" reads it", file.name)
		default:
			out = append(out, file.name)
		}
	}
	return out
}

// declares reports whether a Go package declares a kind.
func (f *Found) declares(k GroupKind) bool {
	return slices.ContainsFunc(f.Packages, func(p Package) bool { return p.has(k) })
}

// leave records files that are not taken, by folder and reason.
func (f *Found) leave(why string, files ...string) {
	for _, file := range files {
		i := slices.IndexFunc(f.Left, func(l Left) bool { return path.Dir(l.Path) == path.Dir(file) && l.Why == why })
		if i < 0 {
			f.Left = append(f.Left, Left{file, why, 1})
			continue
		}
		f.Left[i].Files++
	}
}

// String returns a line for users.
func (l Left) String() string {
	if l.Files > 1 {
		return fmt.Sprintf("%s and %d more: %s", l.Path, l.Files-1, l.Why)
	}
	return l.Path + ": " + l.Why
}

// trees divides files into trees that do not have the whole project as their folder. Output within
// a source would be read as one.
func trees(files []string) [][]string {
	if len(files) == 0 {
		return nil
	}
	if common(files) != "." {
		return [][]string{files}
	}
	by := map[string][]string{}
	var names []string
	for _, file := range files {
		first, _, below := strings.Cut(file, "/")
		if !below {
			first = "."
		}
		names = appendNew(names, first)
		by[first] = append(by[first], file)
	}
	slices.Sort(names)
	var out [][]string
	for _, name := range names {
		out = append(out, by[name])
	}
	return out
}

// patterns returns the Go sources: a pattern for a folder with packages of resources and those that
// they import, so that later versions are read too; otherwise one for each package.
func (l *looking) patterns(module string) []Source {
	if n := len(l.goSources); n > 0 {
		root := commonFolder(l.goSources)
		if n == 1 && IsVersion(path.Base(root)) {
			root = path.Dir(root)
		}
		if root != "." && (n > 1 || root != l.goSources[0]) && !l.hasOthers(root, module) {
			return []Source{{Kind: "go", Path: root + "/...", Files: n}}
		}
	}
	var out []Source
	for _, dir := range l.goSources {
		out = append(out, Source{Kind: "go", Path: dir, Files: 1})
	}
	return out
}

// versionName matches the names of folders that have one version of an API.
var versionName = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// IsVersion reports whether a folder has the name of a version of an API.
func IsVersion(name string) bool { return versionName.MatchString(name) }

// hasOthers reports whether a folder has Go packages besides those of resources and those that they
// import: programs and controllers, say, whose errors would be errors of the source.
func (l *looking) hasOthers(root, module string) bool {
	known := slices.Clone(l.goSources)
	for i := 0; i < len(known); i++ {
		for _, imported := range l.imports(known[i]) {
			if dir, ok := strings.CutPrefix(imported, module+"/"); ok && module != "" && slices.Contains(l.goFolders, dir) {
				known = appendNew(known, dir)
			}
		}
	}
	return slices.ContainsFunc(l.goFolders, func(dir string) bool { return isBelow(dir+"/", root) && !slices.Contains(known, dir) })
}

// imports returns the import paths in the files of a folder that the author wrote. Files that
// cannot be read or parsed have none: the front-end reports them.
func (l *looking) imports(dir string) []string {
	var out []string
	for _, name := range l.all[".go"] {
		if path.Dir(name) != dir || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(l.dir, filepath.FromSlash(name)), nil, parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, i := range f.Imports {
			if imported, err := strconv.Unquote(i.Path.Value); err == nil {
				out = append(out, imported)
			}
		}
	}
	return out
}

// common returns the folder that contains all files.
func common(files []string) string {
	var dirs []string
	for _, f := range files {
		dirs = append(dirs, path.Dir(f))
	}
	return commonFolder(dirs)
}

// commonFolder returns the folder that contains all folders, or is one of them.
func commonFolder(dirs []string) string {
	dir := dirs[0]
	for _, other := range dirs[1:] {
		for dir != "." && !isBelow(other+"/", dir) {
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

// makefile finds out what make generate does.
func (f *Found) makefile(dir string) error {
	name := filepath.Join(dir, "Makefile")
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil // no Makefile, or one that make cannot read, either
	}
	text, err := beginning(name, maxBeginning)
	f.Build.Makefile = "Makefile"
	f.makesCopies = err == nil && makesCopies.Match(text)
	return err
}

var makesCopies = regexp.MustCompile(`(?m)^generate:.*\n(\t.*\n)*?\t.*\bobject\b`)

// module finds the import path of a folder, and whether the runtime is required, by its go.mod and
// its go.work.
func (f *Found) module(dir string) error {
	at, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	importPath, file := gomodule.ImportPath(at)
	mod := gomodule.Read(file)
	f.Module, f.goVersion = importPath, goOf(mod)
	f.HasRuntime = slices.ContainsFunc([][]byte{mod, gomodule.Read(gomodule.Workspace(at))}, func(text []byte) bool {
		return bytes.Contains(text, []byte(RuntimeModule))
	})
	return nil
}
