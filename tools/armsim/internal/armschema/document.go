package armschema

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxSize is how long a file may be; published ones stay below 3 MB.
const maxSize = 64 << 20

// root is a folder of schemas.
type root struct {
	name  string
	files fs.FS
	paths map[string]string // folded path -> path
}

// document is a decoded file.
type document struct {
	root   *root
	path   string // below the root
	value  any
	common bool
}

func (r *root) read(file string) (*document, error) {
	f, err := r.files.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxSize {
		return nil, fmt.Errorf("read schema %s: it has more than %d bytes", r.show(file), maxSize)
	}
	value, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		return nil, fmt.Errorf("read schema %s: %w", r.show(file), err)
	}
	return &document{root: r, path: file, value: value, common: isCommon(file)}, nil
}

func (r *root) show(file string) string { return path.Join(r.name, file) }

// commonFile ends the URL of the definitions that all templates share.
const commonFile = "common/definitions.json"

func isCommon(url string) bool {
	url = strings.ToLower(url)
	return url == commonFile || strings.HasSuffix(url, "/"+commonFile)
}

// location is a schema in a document.
type location struct {
	doc     *document
	pointer string
	value   any
}

func (d *document) top() location { return location{doc: d, value: d.value} }

// object is the keywords of a schema; nil for schemas that are true or false.
func (p location) object() map[string]any {
	m, _ := p.value.(map[string]any)
	return m
}

func (p location) member(name string) location {
	value := p.object()[name]
	return location{p.doc, p.pointer + "/" + escape(name), value}
}

func (p location) exists() bool { return p.value != nil }

func (p location) elements() []location {
	list, _ := p.value.([]any)
	locations := make([]location, len(list))
	for i, value := range list {
		locations[i] = location{p.doc, p.pointer + "/" + strconv.Itoa(i), value}
	}
	return locations
}

func (p location) key() string { return p.doc.root.name + "\x00" + p.doc.path + "#" + p.pointer }

func (p location) String() string { return p.doc.root.show(p.doc.path) + "#" + p.pointer }

var escaper = strings.NewReplacer("~", "~0", "/", "~1")
var unescaper = strings.NewReplacer("~1", "/", "~0", "~")

func escape(token string) string { return escaper.Replace(token) }

// find follows a JSON pointer.
func (d *document) find(pointer string) (location, bool) {
	at := d.top()
	if pointer == "" {
		return at, true
	}
	if !strings.HasPrefix(pointer, "/") {
		return location{}, false
	}
	for _, token := range strings.Split(pointer[1:], "/") {
		token = unescaper.Replace(token)
		if list, ok := at.value.([]any); ok {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(list) {
				return location{}, false
			}
			at = at.elements()[i]
		} else if at = at.member(token); !at.exists() {
			return location{}, false
		}
	}
	return at, true
}

// target is the target of a reference: a location, or a scalar that the common file defines.
type target struct {
	location
	scalar     string // a type
	expression bool
}

var errNowhere = errors.New("the reference leads nowhere")

// follow resolves a reference. Files are found by the end of their URLs, as schemas are published
// under hosts and folders that the copy at hand lacks.
func (l *Library) follow(ref string, from *document) (target, error) {
	address, fragment, _ := strings.Cut(ref, "#")
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		pointer = fragment
	}
	if isCommon(address) || address == "" && from.common {
		if t, ok := template(pointer); ok {
			return t, nil
		}
	}
	doc := from
	if address != "" {
		if doc, err = l.locate(address, from); err != nil {
			return target{}, err
		}
	}
	at, ok := doc.find(pointer)
	if !ok {
		return target{}, fmt.Errorf("%w: %s has no %s", errNowhere, doc.root.show(doc.path), pointer)
	}
	return target{location: at}, nil
}

// template returns the scalar that a definition of the common file allows beside an expression.
func template(pointer string) (target, bool) {
	switch strings.ToLower(strings.TrimPrefix(pointer, "/definitions/")) {
	case "expression":
		return target{scalar: "string", expression: true}, true
	case "stringorexpression":
		return target{scalar: "string"}, true
	case "numberorexpression":
		return target{scalar: "number"}, true
	case "integerorexpression", "intorexpression":
		return target{scalar: "integer"}, true
	case "booleanorexpression", "boolorexpression":
		return target{scalar: "boolean"}, true
	}
	return target{}, false
}

func (l *Library) locate(address string, from *document) (*document, error) {
	key := fold(address)
	if !strings.Contains(address, "://") {
		if file, ok := from.root.paths[path.Join(path.Dir(fold(from.path)), key)]; ok {
			return l.document(from.root, file)
		}
	}
	for _, r := range append([]*root{from.root}, l.roots...) {
		for rest := key; strings.Contains(rest, "/"); _, rest, _ = strings.Cut(rest, "/") {
			if file, ok := r.paths[rest]; ok {
				return l.document(r, file)
			}
		}
	}
	return nil, fmt.Errorf("%w: no file has the path or id %s", errNowhere, address)
}

// fold makes URLs and paths comparable.
func fold(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	if plain, err := url.PathUnescape(address); err == nil {
		address = plain
	}
	return strings.ToLower(address)
}

func openRoot(dir string) (*root, error) {
	r := &root{name: dir, files: os.DirFS(dir), paths: map[string]string{}}
	err := fs.WalkDir(r.files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(strings.ToLower(file), ".json") {
			r.paths[fold(file)] = file
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("index schemas: %w", err)
	}
	return r, nil
}
