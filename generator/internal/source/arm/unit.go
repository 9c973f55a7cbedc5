package arm

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// unit reads one file. Units share no mutable data: each has its own definitions, also for those of
// other files.
type unit struct {
	document.Unit
	lib      *library
	path     string
	doc      *document.Document
	referred []*document.Document

	references  *document.References
	expressions map[*document.Target]bool // targets that are the template expression
	notes       document.Notes
	compiler    *jsonschema.Compiler
}

func compileFile(lib *library, path string) *document.Unit {
	u := &unit{lib: lib, path: path, expressions: map[*document.Target]bool{}}
	u.references = document.NewReferences(u.follow)
	u.compiler = jsonschema.NewCompiler(dialect{unit: u}, &u.notes)
	u.compiler.Shared = true
	doc, err := lib.read(path)
	if err != nil {
		u.reject("", source.MessageOf(err))
		return &u.Unit
	}
	u.doc = doc
	u.claimOwn()
	u.compile()
	result := u.Unit
	result.Notes = u.notes.Recorded()
	result.Files = []source.File{doc.File}
	for _, referred := range u.referred {
		result.Files = append(result.Files, referred.File)
	}
	return &result
}

// reject marks a section as broken, or the file if section is empty.
func (u *unit) reject(section string, messages ...diag.Message) {
	u.Reject(source.Broken{Source: u.source(section)}, messages...)
}

func (u *unit) source(section string) model.Source {
	return model.Source{Kind: "arm", File: u.path, Scope: section}
}

func (u *unit) compile() {
	root := u.doc.Root()
	if root.Kind() != syntax.Object {
		u.reject("", root.Errorf("a schema file must be an object, not %s", root.Kind()))
		return
	}
	if u.ambiguous(root) {
		return
	}
	var entries []*entry
	for m := range root.All() {
		switch name := m.Name(); {
		case isSection(name):
			entries = append(entries, u.section(m)...)
		case !rootMembers[name]:
			u.notes.Add(m, "root "+name, "%s at the root of a file is not read", name)
		}
	}
	for d := u.compiler.Newest(); d != nil; d = u.compiler.Newest() {
		u.compiler.Define(d)
	}
	u.compiler.Endless()
	for _, e := range entries {
		u.declare(e)
	}
	u.noteDoubled()
}

const sectionSuffix = "resourcedefinitions"

// isSection reports whether a member of the root lists resources.
func isSection(name string) bool { return strings.HasSuffix(strings.ToLower(name), sectionSuffix) }

var rootMembers = map[string]bool{
	"$schema": true, "id": true, "$id": true, "title": true, "description": true, "$comment": true,
	"definitions": true, "$defs": true,
}

func (u *unit) section(at document.Location) []*entry {
	if at.Kind() != syntax.Object {
		u.reject(at.Name(), at.Errorf("%s must be an object of resources, not %s", at.Name(), at.Kind()))
		return nil
	}
	var entries []*entry
	for m := range at.All() {
		entries = append(entries, u.entry(at.Name(), m))
	}
	return entries
}

// ambiguous rejects a file in which two sections or definitions have the same name.
func (u *unit) ambiguous(root document.Location) bool {
	var messages []diag.Message
	names := func(at document.Location) {
		for _, m := range at.Doubled() {
			messages = append(messages, m.Twice())
		}
	}
	names(root)
	for m := range root.All() {
		if isSection(m.Name()) || m.Name() == "definitions" {
			names(m)
		}
	}
	if len(messages) > 0 {
		u.reject("", messages...)
	}
	return len(messages) > 0
}

// noteDoubled adds notes for duplicate members that no resource reaches.
func (u *unit) noteDoubled() {
	for _, m := range u.doc.Doubled() {
		if !u.compiler.IsReported(m) {
			u.notes.Add(m, "doubled", "the member %q appears twice in one object; no resource uses it", m.Name())
		}
	}
}
