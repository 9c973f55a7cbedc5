package arm

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/stratakube/strata/generator/internal/source"
)

// library knows the files below the root, and keeps those that others refer to.
type library struct {
	root   string
	files  fs.FS
	paths  []string          // of all files, sorted
	folded map[string]string // lower-case path -> path of JSON files; the first of equals
	ids    func() map[string]string

	referred source.Referred[document]
}

// open knows the files of a folder by their paths, sorted. The root is how files
// are called.
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
func (l *library) read(file string) (*document, error) {
	name := filepath.Join(l.root, filepath.FromSlash(file))
	data, err := source.ReadFile(l.files, l.root, file, maxSize)
	if err != nil {
		return nil, err
	}
	return decode(file, name, data)
}

// refer gives a file that another one refers to; it is decoded once.
func (l *library) refer(file string) (*document, error) { return l.referred.File(file, l.read) }

// locate finds the file that the URL of a reference means: the referring file
// itself, the file whose path below the root ends the URL, or the file of that
// id. Letter case does not matter.
func (l *library) locate(url string, from *document) (string, bool) {
	key := fold(url)
	if from.id != "" && key == from.id {
		return from.path, true
	}
	if !isAbsolute(url) {
		if found, ok := l.folded[path.Join(path.Dir(strings.ToLower(from.path)), key)]; ok {
			return found, true
		}
	}
	if found, ok := l.byPath(key); ok {
		return found, true
	}
	found, ok := l.ids()[key]
	return found, ok
}

// byPath looks for the longest end of a URL that is a path below the root. An
// end must name a folder too: a file's name alone says nothing of its version.
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

// readIDs gives the paths of all files that have an id; the first of equals.
func (l *library) readIDs() map[string]string {
	ids := map[string]string{}
	for _, file := range l.paths {
		if !isJSON(file) {
			continue
		}
		if doc, err := l.read(file); err == nil && doc.id != "" && ids[doc.id] == "" {
			ids[doc.id] = file
		}
	}
	return ids
}

// fold makes URLs comparable: without scheme and fragment, in lower case, with
// percent escapes undone.
func fold(url string) string {
	url, _, _ = strings.Cut(url, "#")
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	return strings.ToLower(unescape(url))
}

func isAbsolute(url string) bool { return strings.Contains(url, "://") }
