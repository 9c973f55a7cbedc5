package crd

import (
	"regexp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// definition is a CRD that was understood. Some of its versions may be broken.
type definition struct {
	file     *file
	at       diag.Pos
	resource *model.Resource
	text     string // the whole CRD as JSON, if it is wanted
}

// reader reads one CRD, and records its errors.
type reader struct {
	*file
	messages []diag.Message
}

func (r *reader) errorf(v *syntax.Value, format string, args ...any) {
	r.messages = append(r.messages, diag.Errorf(r.at(v), format, args...))
}

func (r *reader) hinted(m diag.Message, hint string, args ...any) {
	r.messages = append(r.messages, m.WithHint(hint, args...))
}

// definition reads a CRD, version by version. Versions that cannot be understood are broken,
// without affecting the others.
func (f *file) definition(v *syntax.Value) {
	r := &reader{file: f}
	spec := r.want(v, "spec", syntax.Object)
	out := r.head(v, spec)
	versions := r.want(spec, "versions", syntax.List)
	if len(r.messages) > 0 {
		f.broken = append(f.broken, source.Broken{Type: out.Type, Source: f.source(out.Kind), Messages: r.messages})
		return
	}
	for _, value := range versions.All() {
		r.messages = nil
		version := r.version(value, out)
		if len(r.messages) == 0 {
			out.Versions = append(out.Versions, version)
			continue
		}
		f.broken = append(f.broken, source.Broken{Type: out.Type, Version: version.Name, Source: f.source(out.Kind), Messages: r.messages})
	}
	text := ""
	if f.wantsTexts {
		text = v.JSON()
	}
	f.found = append(f.found, &definition{f, f.at(v), out, text})
}

// want returns the member of an object if it has the given kind. Otherwise it reports an error.
func (r *reader) want(v *syntax.Value, name string, kind syntax.Kind) *syntax.Value {
	m := v.Member(name)
	switch {
	case v.Kind() != syntax.Object: // already reported
	case m == nil:
		r.errorf(v, "%s is missing", name)
	case m.Kind() != kind:
		r.errorf(m, "%s must be %s, not %s", name, kind, m.Kind())
		return nil
	}
	return m
}

// The known members of a CRD's objects; true for those that become facts.
var (
	specMembers = map[string]bool{"group": false, "names": false, "scope": true, "versions": false, "conversion": false, "preserveUnknownFields": false}
	nameMembers = map[string]bool{"kind": false, "plural": false, "singular": true, "listKind": true, "shortNames": true, "categories": true}
)

var (
	goName  = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,62}$`)
	label   = regexp.MustCompile(`^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`)
	dnsName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$`)
)

// head reads what applies to all versions.
func (r *reader) head(v, spec *syntax.Value) *model.Resource {
	names := r.want(spec, "names", syntax.Object)
	out := &model.Resource{
		Group: r.word(spec, "group", dnsName, "a DNS name with a dot in it", "shop.example.com"),
		Kind:  r.word(names, "kind", goName, "a word of letters and digits that begins with a capital", "Widget"),
	}
	const small = "a word of small letters, digits and dashes"
	out.Plural = r.word(names, "plural", label, small, "widgets")
	r.words(names.Member("listKind"), goName, "a word of letters and digits that begins with a capital", "WidgetList")
	for _, name := range []string{"singular", "shortNames", "categories"} {
		r.words(names.Member(name), label, small, "widget")
	}
	out.Type = out.Group + "/" + out.Plural
	out.Facts = append(r.facts(spec, specMembers), r.facts(names, nameMembers)...)
	if p := spec.Member("preserveUnknownFields"); p.IsTrue() {
		r.hinted(diag.Errorf(r.at(p), "preserveUnknownFields: true is not allowed in apiextensions.k8s.io/v1"), "set x-kubernetes-preserve-unknown-fields in the schema where that is intended")
	}
	out.Facts = append(out.Facts, stored(v, spec)...)
	metadata := v.Member("metadata")
	if out.Group == "" || out.Plural == "" {
		out.Type = ""
	} else if name := metadata.Member("name"); name.Text() != out.Plural+"."+out.Group {
		r.errorf(or(name, v), "the name of a CRD must be its plural and group: %s.%s", out.Plural, out.Group)
	}
	for _, name := range []string{model.Annotations, model.Labels} {
		if m := own(metadata.Member(name)); m != "" {
			out.Facts = append(out.Facts, model.Fact{Name: name, Value: m})
		}
	}
	return out
}

// stored returns which versions a CRD stores objects in, and has stored objects in.
func stored(v, spec *syntax.Value) (out model.Facts) {
	for _, version := range spec.Member("versions").All() {
		if version.Member("storage").IsTrue() {
			out = append(out, model.Fact{Name: model.StorageVersion, Value: version.Member("name").JSON()})
			break
		}
	}
	if all := v.Member("status").Member("storedVersions"); len(all.All()) > 0 {
		out = append(out, model.Fact{Name: model.StoredVersions, Value: all.JSON()})
	}
	return out
}

// or returns the first value that exists.
func or(v, otherwise *syntax.Value) *syntax.Value {
	if v == nil {
		return otherwise
	}
	return v
}

// written are the annotations that clients write for their own use.
var written = []string{"kubectl.kubernetes.io/last-applied-configuration"}

// own returns an object of annotations or labels without those that clients write; empty if none
// are left.
func own(v *syntax.Value) string {
	var kept []string
	for _, m := range v.All() {
		if !slices.Contains(written, m.Name()) {
			kept = append(kept, syntax.Quote(m.Name())+":"+m.JSON())
		}
	}
	if len(kept) == 0 {
		return ""
	}
	return "{" + strings.Join(kept, ",") + "}"
}

// word reads a string that matches form. like is an example for messages.
func (r *reader) word(v *syntax.Value, name string, form *regexp.Regexp, what, like string) string {
	m := r.want(v, name, syntax.String)
	if text := m.Text(); m != nil && !form.MatchString(text) {
		r.hinted(diag.Errorf(r.at(m), "%s must be %s, not %q", name, what, text), "such as %s", like)
		return ""
	}
	return m.Text()
}

// words checks an optional string, or an optional list of strings.
func (r *reader) words(v *syntax.Value, form *regexp.Regexp, what, like string) {
	all := []*syntax.Value{v}
	switch v.Kind() {
	case syntax.Absent, syntax.Null:
		return
	case syntax.List:
		all = v.All()
	}
	for _, m := range all {
		if m.Kind() != syntax.String || !form.MatchString(m.Text()) {
			r.hinted(diag.Errorf(r.at(m), "%s must be %s, not %.200s", v.Name(), what, m.JSON()), "such as %s", like)
		}
	}
}

// facts returns the members of an object that become facts, and reports unknown ones.
func (r *reader) facts(v *syntax.Value, known map[string]bool) model.Facts {
	var out model.Facts
	for _, m := range v.All() {
		travels, ok := known[m.Name()]
		switch {
		case !ok:
			r.unknown(m, known)
		case travels && m.Kind() != syntax.Null:
			out = append(out, model.Fact{Name: m.Name(), Value: m.JSON()})
		}
	}
	return out
}

func (r *reader) unknown(m *syntax.Value, known map[string]bool) {
	var names []string
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	message := diag.Errorf(r.named(m), "an API server does not know %q here", m.Name())
	if near := diag.Nearest(m.Name(), names); near != "" {
		message = message.WithHint("did you mean %q?", near)
	}
	r.messages = append(r.messages, message)
}
