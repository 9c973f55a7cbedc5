package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/goedit"
	"github.com/stratakube/strata/generator/internal/gomodule"
)

// Limits of a search, which is meant for projects and not for whole disks.
const (
	maxFiles     = 100_000
	maxBeginning = 64 << 10 // of a file that is none of a source
	maxBytes     = 16 << 20 // of a Go file of a source, or of CRDs
)

// Look searches a folder for what an API can be generated from, and finds its Go module. It skips
// generated code, hidden folders, vendored ones and test data.
func Look(ctx context.Context, dir string) (*Found, error) {
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, diag.Errorf(diag.Pos{}, "there is no folder %s", dir).WithHint("make it, or name another one with --dir")
	case err == nil && !info.IsDir():
		return nil, diag.Errorf(diag.Pos{}, "%s is a file", dir).WithHint("name the folder of the project with --dir")
	}
	l := looking{dir: dir, schemas: map[string][]string{}, all: map[string][]string{}}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		return l.entry(name, entry)
	})
	if err == nil {
		err = l.readPackages(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("look through %s: %w", dir, err)
	}
	at, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	module, _ := gomodule.ImportPath(at)
	out := l.found(module)
	if err := errors.Join(out.makefile(dir), out.module(dir), out.build(dir, l)); err != nil {
		return nil, fmt.Errorf("look through %s: %w", dir, err)
	}
	return out, nil
}

// looking holds the state of one search. Names of files and folders are relative to dir, with
// slashes.
type looking struct {
	dir       string
	files     int
	schemas   map[string][]string // files by the kind of their source: arm, bicep, openapi
	crds      []crdFile
	goFolders []string            // folders with Go files that are not generated
	goSources []string            // those of them with markers of resources
	packages  []Package           // what is in goSources
	all       map[string][]string // files by extension
	programs  []string            // Go files in which a package can be registered
	suites    []string            // tests that start envtest with CRDs
	folders   []string            // folders directly below dir, without those that Strata has generated
}

func (l *looking) entry(name string, entry fs.DirEntry) error {
	below, err := filepath.Rel(l.dir, name)
	if err != nil {
		return err
	}
	below = filepath.ToSlash(below)
	if entry.IsDir() {
		return l.folder(name, below)
	}
	l.files++
	end := path.Ext(below)
	if l.files > maxFiles || !entry.Type().IsRegular() || !slices.Contains([]string{".go", ".json", ".yaml", ".yml"}, end) {
		return nil
	}
	l.all[end] = append(l.all[end], below)
	text, err := beginning(name, maxBeginning)
	if err != nil {
		return err
	}
	switch kind := kindOf(below, text); kind {
	case "":
	case "go":
		l.goSources = appendNew(l.goSources, path.Dir(below))
	case "crd":
		if text, err = beginning(name, maxBytes); err != nil {
			return err
		}
		l.crds = append(l.crds, readCRDs(below, text))
	default:
		l.schemas[kind] = append(l.schemas[kind], below)
	}
	if strings.HasSuffix(below, "_test.go") && goedit.IsSuite(text) {
		l.suites = append(l.suites, below)
	}
	if isWritten(below, text) {
		l.goFolders = appendNew(l.goFolders, path.Dir(below))
		if goedit.Registers(text) {
			l.programs = append(l.programs, below)
		}
	}
	return nil
}

// folder records a folder, and skips those that cannot have sources.
func (l *looking) folder(name, below string) error {
	if below == "." {
		return nil
	}
	if isPassedOver(path.Base(below)) {
		return filepath.SkipDir
	}
	if _, err := os.Stat(filepath.Join(name, manifestFile)); err != nil && !strings.Contains(below, "/") {
		l.folders = append(l.folders, below)
	}
	return nil
}

// manifestFile is the file that Strata writes into each output folder.
const manifestFile = "manifest.json"

func isPassedOver(folder string) bool {
	return strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") || slices.Contains([]string{"vendor", "node_modules", "testdata"}, folder)
}

func beginning(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

func appendNew(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
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
		if isWritten(name, text) && goMarker.Match(text) {
			return "go"
		}
	case generated.Match(text):
	case path.Base(name) == "types.json" && typeIndex.Match(text):
		return "bicep"
	case swagger.Match(text):
		return "openapi"
	case definition.Match(text), crdInJSON.Match(text):
		return "crd"
	case strings.HasSuffix(name, ".json") && resources.Match(text):
		return "arm"
	}
	return ""
}

// isWritten reports whether a file is Go code of a package that an author wrote.
func isWritten(name string, text []byte) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !generated.Match(text)
}

// DeclaresKinds reports whether a Go file in a folder that an author wrote has a marker of a
// resource.
func DeclaresKinds(folder string) bool {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(entries, func(entry os.DirEntry) bool {
		if !entry.Type().IsRegular() || filepath.Ext(entry.Name()) != ".go" {
			return false
		}
		text, err := beginning(filepath.Join(folder, entry.Name()), maxBeginning)
		return err == nil && kindOf(entry.Name(), text) == "go"
	})
}
