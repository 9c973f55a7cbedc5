package arm

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
)

// library knows the files below the root, and stores those that others refer to.
type library struct {
	root   string
	files  fs.FS
	paths  []string          // of all files, sorted
	folded map[string]string // lower-case path to path, for JSON files; the first one if several are equal
	ids    func() map[string]string

	readsAll atomic.Bool // whether ids was called: a reference depends on all files

	referred source.Referred[document.Document]
}

// open makes the library of a folder from its sorted paths. root is the name of the folder in
// messages.
func open(root string, files fs.FS, paths []string) *library {
	lib := &library{root: root, files: files, paths: paths, folded: map[string]string{}}
	lib.ids = sync.OnceValue(lib.readIDs)
	for _, file := range lib.paths {
		if key := strings.ToLower(file); isJSON(key) && lib.folded[key] == "" {
			lib.folded[key] = file
		}
	}
	return lib
}

func isJSON(path string) bool { return strings.HasSuffix(strings.ToLower(path), ".json") }

// read decodes a file. The error is a diag.Message.
func (l *library) read(file string) (*document.Document, error) {
	name := filepath.Join(l.root, filepath.FromSlash(file))
	data, err := source.ReadFile(l.files, l.root, file, maxSize)
	if err != nil {
		return nil, err
	}
	return decode(file, name, data)
}

// refer returns a file that another one refers to. It is decoded once.
func (l *library) refer(file string) (*document.Document, error) {
	return l.referred.File(file, l.read)
}

// locate finds the file of a reference's URL: the referring file itself, the file whose path below
// the root ends the URL, or the file with that id. Case does not matter.
func (l *library) locate(url string, from *document.Document) (string, bool) {
	key := fold(url)
	if from.ID != "" && key == from.ID {
		return from.Path, true
	}
	if !isAbsolute(url) {
		if found, ok := l.folded[path.Join(path.Dir(strings.ToLower(from.Path)), key)]; ok {
			return found, true
		}
	}
	if found, ok := l.byPath(key); ok {
		return found, true
	}
	l.readsAll.Store(true)
	found, ok := l.ids()[key]
	return found, ok
}

// byPath finds the file whose path is the longest suffix of a URL. The suffix must contain a
// folder, since the name of a file does not identify its version.
func (l *library) byPath(key string) (string, bool) {
	rest := key
	for strings.Contains(rest, "/") {
		if found, ok := l.folded[rest]; ok {
			return found, true
		}
		_, rest, _ = strings.Cut(rest, "/")
	}
	return "", false
}

// readIDs returns the paths of all files that have an id; the first one if several are equal.
func (l *library) readIDs() map[string]string {
	ids := map[string]string{}
	for _, file := range l.paths {
		if !isJSON(file) {
			continue
		}
		if doc, err := l.read(file); err == nil && doc.ID != "" && ids[doc.ID] == "" {
			ids[doc.ID] = file
		}
	}
	return ids
}

// fold normalizes URLs for comparison: without scheme and fragment, in lower case, with percent
// escapes decoded.
func fold(url string) string {
	url, _, _ = strings.Cut(url, "#")
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	return strings.ToLower(document.Unescape(url))
}

func isAbsolute(url string) bool { return strings.Contains(url, "://") }
