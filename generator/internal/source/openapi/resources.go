package openapi

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/generator/internal/version"
)

// resource is what a document declares of a type, on one path or several.
type resource struct {
	typ, version string
	scopes       []string
	arm          bool
	path         place // the first that declares it
	item         place // what that path has
	name         string
	body, answer place // the schemas of what is sent and of what comes back; they may not exist
	said         statement
}

// finder looks for resources in the paths of a document.
type finder struct {
	*unit
	paths     place
	whole     statement // of the document
	resources []*resource

	homeless    bool            // the lack of a group was reported
	unversioned map[string]bool // the names that were reported to be none of versions
}

// resources finds what the document declares, in the order of its paths.
func (u *unit) resources() []*resource {
	f := &finder{unit: u, paths: u.root().member("paths"), unversioned: map[string]bool{}}
	var ok bool
	if f.whole, ok = u.statement(u.root(), true); !ok {
		return nil
	}
	if f.paths.exists() && f.paths.value.Kind() != syntax.Object {
		u.reject(f.paths.errorf("paths must be an object, not %s", f.paths.value.Kind()))
		return nil
	}
	if more := u.root().member("x-ms-paths"); more.exists() {
		u.note(more, "x-ms-paths", "paths of x-ms-paths are not read: they have the same resources in other words")
	}
	for _, m := range f.paths.value.All() {
		if strings.HasPrefix(m.Name(), "/") {
			f.look(f.paths.at(m))
		}
	}
	if len(f.resources) == 0 && len(u.broken) == 0 && len(f.paths.value.All()) > 0 {
		u.note(f.paths, "nothing", "no path makes and reads a resource")
	}
	return f.resources
}

// look looks for a resource at a path.
func (f *finder) look(path place) {
	item := f.behind(path, f.fail)
	stated, ok := f.statement(item, false)
	if !item.exists() || !ok || stated.none {
		return
	}
	t, isItem, isARM := ofARM(path.value.Name())
	switch {
	case isARM && !isItem && item.member("put").exists():
		f.note(path, "path "+path.value.Name(), "the path ends in no name: what it makes is no resource")
	case isARM && isItem && item.member("put").exists():
		f.found(path, item, item.member("put"), t, stated)
	case !isARM:
		f.pair(path, item, stated)
	}
}

func (u *unit) fail(m diag.Message) { u.reject(m) }

// pair looks for an item that can be made, at its own path or at that of its collection,
// and read.
func (f *finder) pair(path, item place, stated statement) {
	t, ok := ofItem(path.value.Name())
	if !ok {
		return
	}
	write := item.member("put")
	if !write.exists() {
		write = f.collection(path.value.Name()).member("post")
	}
	switch {
	case !write.exists():
		return
	case !item.member("get").exists():
		f.note(path, "path "+path.value.Name(), "nothing reads what the path makes: it is no resource")
		return
	case t.vague && stated.typ == "":
		f.fail(path.errorf("which type of resource the path makes cannot be seen of it").
			WithHint("say it there with %s: {type: ...}, or with %s: false that it makes none", said, said))
		return
	}
	f.found(path, item, write, t, stated)
}

// collection is the path item that lists what an item's path names.
func (f *finder) collection(path string) place {
	path = strings.TrimSuffix(path, "/")
	path = path[:strings.LastIndex(path, "/")]
	for _, name := range []string{path, path + "/"} {
		if at := f.paths.member(name); at.exists() {
			return f.behind(at, func(diag.Message) {})
		}
	}
	return f.paths.at(nil)
}

// found takes a resource, or one more path of a resource.
func (f *finder) found(path, item, write place, t template, stated statement) {
	problems := len(f.broken)
	r := resource{path: path, item: item, name: t.name, said: stated, arm: t.provider != "", scopes: []string{t.scope}}
	if !r.arm {
		r.scopes = []string{path.value.Name()}
	}
	types := f.types(&r, t, stated)
	r.version = f.version(path, t, stated)
	r.body = f.bodyOf(write)
	if r.answer = f.answerOf(item.member("get")); !r.answer.exists() {
		r.answer = f.answerOf(write)
	}
	for _, typ := range types {
		if fault := source.TypeFault(typ); fault.Exists() {
			f.fail(fault.At(path.named()))
		}
	}
	if len(f.broken) > problems || types == nil || r.version == "" {
		return
	}
	for _, typ := range types {
		one := r
		one.typ, one.scopes = typ, slices.Clone(r.scopes)
		f.add(&one)
	}
}

// add unites what is declared in the same way for several scopes.
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

// types are the types of the resource; none after an error.
func (f *finder) types(r *resource, t template, stated statement) []string {
	group := t.provider
	for _, s := range []statement{f.whole, stated} {
		if s.group != "" {
			group = s.group
		}
	}
	if group == "" {
		if !f.homeless {
			f.homeless = true
			f.fail(r.path.errorf("the path makes a resource, and nothing says of which group").
				WithHint("say it at the root of the document or at the path with %s: {group: Contoso.Fleet}; %s: false at the path leaves it out", said, said))
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

// choices are the values of a parameter that stands for a type.
func (f *finder) choices(r *resource, segment string) []string {
	var names []string
	for _, v := range f.constraints(r.item, bare(segment)).member("enum").value.All() {
		if v.Text() != "" && len(names) < maxChoices {
			names = append(names, v.Text())
		}
	}
	if names == nil {
		f.fail(r.path.errorf("the type of the resource is the parameter %s, which may be anything", segment).
			WithHint("give the parameter an enum, or say %s: {type: ...} at the path", said))
	}
	return names
}

// maxChoices bounds how many types one path makes.
const maxChoices = 100

// version is that which is stated, or in the path, or else that of the document.
func (f *finder) version(path place, t template, stated statement) string {
	at := f.root().member("info").member("version")
	name := word(at.value)
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
	if !at.exists() {
		at = path
	}
	if !f.unversioned[name] {
		f.unversioned[name] = true
		f.fail(at.errorf("%q is not a version of an API", name).
			WithHint("info.version is one, such as 2014-04-04, v1beta1 or 1.2, or the first part of paths, or say %s: {version: ...}", said))
	}
	return ""
}
