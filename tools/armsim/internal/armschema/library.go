package armschema

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

// Library finds schemas below folders. It is safe for concurrent use.
type Library struct {
	roots []*root
	files map[string][]*file // by the folded provider that a file's name begins with

	mu       sync.Mutex
	read     []*document // those used last, at the end
	compiled map[string]*compiling

	found    sync.Map // of Find: lower-case type, version and section -> *Schema
	declared sync.Map // of All and Has: lower-case type -> []entry of all versions
}

// file is a file whose name suggests that it declares resources.
type file struct {
	root    *root
	path    string
	version string // its folder

	entries func() ([]entry, error)
}

// entry is a resource in a section of a file, in one of its types and API versions.
type entry struct {
	file    *file
	section string
	pointer string
	typ     string // as spelled
	version string
}

// UnknownTypeError is that no schema knows a type.
type UnknownTypeError struct{ Type string }

func (e *UnknownTypeError) Error() string { return "no schema knows the resource type " + e.Type }

// UnknownVersionError is that no schema knows a type in a version.
type UnknownVersionError struct {
	Type, Version string
	Known         []string // in which the type is known, sorted
}

func (e *UnknownVersionError) Error() string {
	return fmt.Sprintf("no schema knows the resource type %s in the API version %s; it is known in %s",
		e.Type, e.Version, strings.Join(e.Known, ", "))
}

// Open indexes the schemas below folders. A folder that comes earlier wins where a reference leads
// to files of several.
func Open(dirs ...string) (*Library, error) {
	if len(dirs) == 0 {
		return nil, errors.New("index schemas: no folder is named")
	}
	l := &Library{files: map[string][]*file{}, compiled: map[string]*compiling{}}
	for _, dir := range dirs {
		r, err := openRoot(dir)
		if err != nil {
			return nil, err
		}
		l.roots = append(l.roots, r)
		for _, name := range r.paths {
			l.index(r, name)
		}
	}
	if len(l.files) == 0 {
		return nil, fmt.Errorf("index schemas: there is no <version>/<Provider>.json below %s", strings.Join(dirs, ", "))
	}
	for _, files := range l.files {
		slices.SortFunc(files, func(a, b *file) int {
			return cmp.Or(slices.Index(l.roots, a.root)-slices.Index(l.roots, b.root), cmp.Compare(a.path, b.path))
		})
	}
	return l, nil
}

// index adds a file under each beginning of its name that a provider may have:
// Microsoft.Network.Admin.json may hold resources of Microsoft.Network.
func (l *Library) index(r *root, name string) {
	if isCommon(name) || path.Dir(name) == "." {
		return
	}
	f := &file{root: r, path: name, version: strings.ToLower(path.Base(path.Dir(name)))}
	f.entries = sync.OnceValues(func() ([]entry, error) { return l.entries(f) })
	stem := strings.ToLower(path.Base(name))
	stem = strings.TrimSuffix(stem, ".json")
	for i := range len(stem) + 1 {
		if i == len(stem) || stem[i] == '.' {
			l.files[stem[:i]] = append(l.files[stem[:i]], f)
		}
	}
}

// recent is how many decoded files are kept.
const recent = 24

// document decodes a file, or finds it among those decoded last.
func (l *Library) document(r *root, file string) (*document, error) {
	if doc := l.used(r, file); doc != nil {
		return doc, nil
	}
	doc, err := r.read(file)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.read = append(l.read, doc); len(l.read) > recent {
		l.read = slices.Delete(l.read, 0, 1)
	}
	return doc, nil
}

func (l *Library) used(r *root, file string) *document {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.read, func(d *document) bool { return d.root == r && d.path == file })
	if i < 0 {
		return nil
	}
	doc := l.read[i]
	l.read = append(slices.Delete(l.read, i, i+1), doc)
	return doc
}

const sectionSuffix = "resourcedefinitions"

// entries lists the resources that a file declares, without those whose type is not a constant.
func (l *Library) entries(f *file) ([]entry, error) {
	doc, err := l.document(f.root, f.path)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for name := range doc.top().object() {
		if !strings.HasSuffix(strings.ToLower(name), sectionSuffix) {
			continue
		}
		section := doc.top().member(name)
		for key := range section.object() {
			entries = append(entries, l.declarations(f, name, section.member(key))...)
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.section, b.section), cmp.Compare(a.pointer, b.pointer), cmp.Compare(a.typ, b.typ), cmp.Compare(a.version, b.version))
	})
	return entries, nil
}

func (l *Library) declarations(f *file, section string, at location) []entry {
	versions := l.constants(at, "apiVersion")
	if len(versions) == 0 {
		versions = []string{f.version}
	}
	var entries []entry
	for _, typ := range l.constants(at, "type") {
		for _, version := range versions {
			entries = append(entries, entry{f, section, at.pointer, typ, strings.ToLower(version)})
		}
	}
	return entries
}

// constants are the values that a property at the root of a resource may have, through references
// and combinations.
func (l *Library) constants(at location, property string) []string {
	var values []string
	left := 5000
	var declared, collect func(location)
	through := func(at location, visit func(location)) {
		if left--; left < 0 {
			return
		}
		if ref, ok := at.object()["$ref"].(string); ok {
			if t, err := l.follow(ref, at.doc); err == nil && t.scalar == "" {
				visit(t.location)
			}
		}
		for _, keyword := range [...]string{"allOf", "oneOf", "anyOf"} {
			for _, branch := range at.member(keyword).elements() {
				visit(branch)
			}
		}
	}
	collect = func(at location) {
		for _, v := range append([]any{at.object()["const"]}, listOf(at.object()["enum"])...) {
			if s, ok := v.(string); ok && s != "" && !slices.Contains(values, s) {
				values = append(values, s)
			}
		}
		through(at, collect)
	}
	declared = func(at location) {
		if p := at.member("properties").member(property); p.exists() {
			collect(p)
		}
		through(at, declared)
	}
	declared(at)
	return values
}

func listOf(v any) []any {
	list, _ := v.([]any)
	return list
}

// of lists the entries of a type, in one version first of all from the files in that version's
// folder.
func (l *Library) of(typ, version string) ([]entry, error) {
	provider, _, _ := strings.Cut(strings.ToLower(typ), "/")
	var found []entry
	search := func(want func(*file) bool, match func(entry) bool) error {
		for _, f := range l.files[provider] {
			if !want(f) {
				continue
			}
			entries, err := f.entries()
			if err != nil {
				return err
			}
			for _, e := range entries {
				if strings.EqualFold(e.typ, typ) && match(e) {
					found = append(found, e)
				}
			}
		}
		return nil
	}
	inVersion := func(e entry) bool { return e.version == version }
	err := search(func(f *file) bool { return f.version == version }, inVersion)
	if err != nil || len(found) > 0 {
		return found, err
	}
	if known, ok := l.declared.Load(strings.ToLower(typ)); ok {
		return known.([]entry), nil
	}
	all := func(entry) bool { return true }
	err = search(func(*file) bool { return true }, all)
	if err == nil && len(found) > 0 {
		l.declared.Store(strings.ToLower(typ), found)
	}
	return found, err
}

// Has reports whether any schema knows a type, and how the schemas spell it.
func (l *Library) Has(typ string) (spelled string, ok bool) {
	entries, err := l.of(typ, "")
	if err != nil || len(entries) == 0 {
		return "", false
	}
	return entries[0].typ, true
}

// Find gives the schemas of a type in an API version. Sections are the scopes that are preferred,
// as subscription_resourceDefinitions; schemas of others are given if there are none of these. The
// error is an [*UnknownTypeError], an [*UnknownVersionError], or about the schemas.
func (l *Library) Find(typ, version, section string) (*Schema, error) {
	version = strings.ToLower(version)
	key := strings.ToLower(typ) + " " + version + " " + section
	if s, ok := l.found.Load(key); ok {
		return s.(*Schema), nil
	}
	s, err := l.find(typ, version, section)
	if err == nil {
		l.found.Store(key, s)
	}
	return s, err
}

func (l *Library) find(typ, version, section string) (*Schema, error) {
	entries, err := l.of(typ, version)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, &UnknownTypeError{typ}
	}
	var matching []entry
	var known []string
	for _, e := range entries {
		known = append(known, e.version)
		if e.version == version {
			matching = append(matching, e)
		}
	}
	if len(matching) == 0 {
		slices.Sort(known)
		return nil, &UnknownVersionError{typ, version, slices.Compact(known)}
	}
	return l.compile(preferred(matching, section))
}

func preferred(entries []entry, section string) []entry {
	best := slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return !strings.EqualFold(e.section, section) })
	if len(best) == 0 {
		return entries
	}
	return best
}

// Entry names a resource version of the library.
type Entry struct{ Type, Version, Section, File string }

// All lists every resource version of every file, sorted by file. It decodes all files.
func (l *Library) All() ([]Entry, error) {
	seen := map[*file]bool{}
	var all []Entry
	var errs []error
	for _, files := range l.files {
		for _, f := range files {
			if seen[f] {
				continue
			}
			seen[f] = true
			entries, err := f.entries()
			errs = append(errs, err)
			for _, e := range entries {
				all = append(all, Entry{e.typ, e.version, e.section, f.root.show(f.path)})
			}
		}
	}
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Section, b.Section), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Version, b.Version))
	})
	return all, errors.Join(errs...)
}

// compiling is a schema that a caller has asked for.
type compiling struct {
	once   sync.Once
	schema *fileSchema
	err    error
}

func (l *Library) compile(entries []entry) (*Schema, error) {
	s := &Schema{Type: entries[0].typ, Version: entries[0].version}
	for _, e := range entries {
		p, err := l.fileSchema(e)
		if err != nil {
			return nil, fmt.Errorf("compile the schema of %s %s: %w", e.typ, e.version, err)
		}
		s.files = append(s.files, p)
	}
	return s, nil
}

func (l *Library) fileSchema(e entry) (*fileSchema, error) {
	key := e.file.root.name + "\x00" + e.file.path + "#" + e.pointer
	l.mu.Lock()
	c := l.compiled[key]
	if c == nil {
		c = &compiling{}
		l.compiled[key] = c
	}
	l.mu.Unlock()
	c.once.Do(func() {
		doc, err := l.document(e.file.root, e.file.path)
		if err != nil {
			c.err = err
			return
		}
		at, _ := doc.find(e.pointer)
		c.schema, c.err = newFileSchema(l, at)
	})
	return c.schema, c.err
}
