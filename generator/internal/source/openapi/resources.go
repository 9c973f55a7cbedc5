package openapi

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/generator/internal/version"
)

// resource is a declaration of a type, on one path or several.
type resource struct {
	typ, version string
	scopes       []string
	arm          bool
	path         document.Location // the first path that declares it
	item         document.Location // the path item of that path
	name         string
	body, answer document.Location // the schemas of the request and of the response; they may not exist
	stated       statement
}

// finder finds resources in the paths of a document.
type finder struct {
	*unit
	paths     document.Location
	whole     statement // of the document
	resources []*resource

	groupless   bool            // the missing group was reported
	unversioned map[string]bool // the names that were reported not to be versions
}

// resources returns the resources that the document declares, in the order of its paths.
func (u *unit) resources() []*resource {
	f := &finder{unit: u, paths: u.root().Member("paths"), unversioned: map[string]bool{}}
	var ok bool
	if f.whole, ok = u.statement(u.root(), true); !ok {
		return nil
	}
	if f.paths.Exists() && f.paths.Kind() != syntax.Object {
		u.reject(f.paths.Errorf("paths must be an object, not %s", f.paths.Kind()))
		return nil
	}
	if more := u.root().Member("x-ms-paths"); more.Exists() {
		u.notes.Add(more, "x-ms-paths", "paths of x-ms-paths are not read: they have the same resources in other words")
	}
	for m := range f.paths.All() {
		if strings.HasPrefix(m.Name(), "/") {
			f.visit(m)
		}
	}
	if len(f.resources) == 0 && len(u.Broken) == 0 && f.paths.Len() > 0 {
		u.notes.Add(f.paths, "nothing", "no path creates and reads a resource")
	}
	return f.resources
}

// visit finds a resource at a path.
func (f *finder) visit(path document.Location) {
	item := f.behind(path, f.fail)
	stated, ok := f.statement(item, false)
	if !item.Exists() || !ok || stated.none {
		return
	}
	t, isItem, isARM := ofARM(path.Name())
	switch {
	case isARM && !isItem && item.Member("put").Exists():
		f.notes.Add(path, "path "+path.Name(), "the path does not end in a name: what it creates is not a resource")
	case isARM && isItem && item.Member("put").Exists():
		f.found(path, item, item.Member("put"), t, stated)
	case !isARM:
		f.pair(path, item, stated)
	}
}

func (u *unit) fail(m diag.Message) { u.reject(m) }

// pair finds an item that can be read, and created at its own path or at that of its collection.
func (f *finder) pair(path, item document.Location, stated statement) {
	t, ok := ofItem(path.Name())
	if !ok {
		return
	}
	write := item.Member("put")
	if !write.Exists() {
		write = f.collection(path.Name()).Member("post")
	}
	switch {
	case !write.Exists():
		return
	case !item.Member("get").Exists():
		f.notes.Add(path, "path "+path.Name(), "no operation reads what the path creates: it is not a resource")
		return
	case t.vague && stated.typ == "":
		f.fail(path.Errorf("the path does not show which type of resource it creates").
			WithHint("set %s: {type: ...} there, or %s: false if it creates no resource", extensionName, extensionName))
		return
	}
	f.found(path, item, write, t, stated)
}

// collection returns the path item of the collection that an item's path belongs to.
func (f *finder) collection(path string) document.Location {
	path = strings.TrimSuffix(path, "/")
	path = path[:strings.LastIndex(path, "/")]
	for _, name := range []string{path, path + "/"} {
		if at := f.paths.Member(name); at.Exists() {
			return f.behind(at, func(diag.Message) {})
		}
	}
	return f.paths.None()
}

// found adds a resource, or one more path of a resource.
func (f *finder) found(path, item, write document.Location, t template, stated statement) {
	problems := len(f.Broken)
	r := resource{path: path, item: item, name: t.name, stated: stated, arm: t.provider != "", scopes: []string{t.scope}}
	if !r.arm {
		r.scopes = []string{path.Name()}
	}
	types := f.types(&r, t, stated)
	r.version = f.version(path, t, stated)
	r.body = f.bodyOf(write)
	if r.answer = f.answerOf(item.Member("get")); !r.answer.Exists() {
		r.answer = f.answerOf(write)
	}
	for _, typ := range types {
		if fault := source.TypeFault(typ); fault.Exists() {
			f.fail(fault.At(path.Named()))
		}
	}
	if len(f.Broken) > problems || types == nil || r.version == "" {
		return
	}
	for _, typ := range types {
		one := r
		one.typ, one.scopes = typ, slices.Clone(r.scopes)
		f.add(&one)
	}
}

// add unites declarations that are the same for several scopes.
func (f *finder) add(r *resource) {
	for _, other := range f.resources {
		if strings.EqualFold(other.typ, r.typ) && other.version == r.version && other.body == r.body && other.answer == r.answer && r.arm {
			if !slices.Contains(other.scopes, r.scopes[0]) {
				other.scopes = append(other.scopes, r.scopes[0])
				slices.SortFunc(other.scopes, widest)
			}
			return
		}
	}
	f.resources = append(f.resources, r)
}

// types returns the types of the resource; none after an error.
func (f *finder) types(r *resource, t template, stated statement) []string {
	group := t.provider
	for _, s := range []statement{f.whole, stated} {
		if s.group != "" {
			group = s.group
		}
	}
	if group == "" {
		if !f.groupless {
			f.groupless = true
			f.fail(r.path.Errorf("the path creates a resource, and its group is not set").
				WithHint("set %s: {group: Contoso.Fleet} at the root of the document or at the path; %s: false at the path ignores it", extensionName, extensionName))
		}
		return nil
	}
	if stated.typ != "" {
		return []string{group + "/" + stated.typ}
	}
	all := []string{group}
	for _, segment := range t.types {
		names := []string{segment}
		if strings.Contains(segment, "{") {
			if names = f.choices(r, segment); names == nil {
				return nil
			}
		}
		var longer []string
		for _, before := range all {
			for _, name := range names {
				longer = append(longer, before+"/"+name)
			}
		}
		all = longer
	}
	return all
}

// choices returns the values of a parameter that stands for a type.
func (f *finder) choices(r *resource, segment string) []string {
	var names []string
	for v := range f.constraints(r.item, bare(segment)).Member("enum").All() {
		if v.Text() != "" && len(names) < maxChoices {
			names = append(names, v.Text())
		}
	}
	if names == nil {
		f.fail(r.path.Errorf("the type of the resource is the parameter %s, which can have any value", segment).
			WithHint("give the parameter an enum, or set %s: {type: ...} at the path", extensionName))
	}
	return names
}

// maxChoices is the largest number of types of one path.
const maxChoices = 100

// version returns the declared version, that in the path, or else that of the document.
func (f *finder) version(path document.Location, t template, stated statement) string {
	at := f.root().Member("info").Member("version")
	name := word(at)
	if t.version != "" {
		at, name = path, t.version
	}
	for _, s := range []statement{f.whole, stated} {
		if s.version != "" {
			at, name = s.at, s.version
		}
	}
	if _, ok := version.Parse(name); ok {
		return name
	}
	if !at.Exists() {
		at = path
	}
	if !f.unversioned[name] {
		f.unversioned[name] = true
		f.fail(at.Errorf("%q is not a version of an API", name).
			WithHint("info.version is one, such as 2014-04-04, v1beta1 or 1.2, or the first part of paths, or set %s: {version: ...}", extensionName))
	}
	return ""
}
