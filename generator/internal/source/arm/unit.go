package arm

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// unit is the result of one file. Units share no mutable data: each has its own definitions, also
// for those of other files.
type unit struct {
	lib      *library
	path     string
	declared []source.Declared
	broken   []source.Broken
	noted    []noted
	files    []source.File // the unit's own file, and those it refers to

	doc      *document
	referred []*document

	targets map[reference]*target
	defs    map[location]*definition
	pending []*definition
	names   map[string]bool
	notes   map[subject]note
	doubled map[jsontree.Node]bool // already reported
	visits  int
}

func compileFile(lib *library, path string) *unit {
	u := &unit{
		lib: lib, path: path,
		targets: map[reference]*target{}, defs: map[location]*definition{},
		notes: map[subject]note{}, doubled: map[jsontree.Node]bool{},
	}
	doc, err := lib.read(path)
	if err != nil {
		u.reject("", err)
		return u
	}
	u.doc = doc
	u.compile()
	return &unit{declared: u.declared, broken: u.broken, noted: u.notesTaken(), files: u.filesRead()}
}

func (u *unit) filesRead() []source.File {
	files := []source.File{u.doc.file}
	for _, doc := range u.referred {
		files = append(files, doc.file)
	}
	return files
}

// reject marks a section as broken, or the file if section is empty.
func (u *unit) reject(section string, err error) {
	u.broken = append(u.broken, source.Broken{Source: u.source(section), Messages: []diag.Message{source.MessageOf(err)}})
}

func (u *unit) source(section string) model.Source {
	return model.Source{Kind: "arm", File: u.path, Scope: section}
}

func (u *unit) compile() {
	root := location{u.doc, u.doc.tree.Root()}
	if root.node.Kind() != jsontree.Object {
		u.reject("", root.errorf("a schema file must be an object, not %s", root.node.Kind()))
		return
	}
	if u.ambiguous(root) {
		return
	}
	var entries []*entry
	for m := range root.node.All() {
		switch name := m.Name(); {
		case isSection(name):
			entries = append(entries, u.section(root.at(m))...)
		case !rootMembers[name]:
			u.note(root.at(m), "root "+name, "%s at the root of a file is not read", name)
		}
	}
	u.drain()
	u.endless()
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

func (u *unit) section(at location) []*entry {
	if at.node.Kind() != jsontree.Object {
		u.reject(at.node.Name(), at.errorf("%s must be an object of resources, not %s", at.node.Name(), at.node.Kind()))
		return nil
	}
	var entries []*entry
	for m := range at.node.All() {
		entries = append(entries, u.entry(at.node.Name(), at.at(m)))
	}
	return entries
}

// ambiguous rejects a file in which two sections or definitions have the same name.
func (u *unit) ambiguous(root location) bool {
	var messages []diag.Message
	names := func(at location) {
		for _, m := range at.node.Doubled() {
			messages = append(messages, doubled(at.at(m)))
		}
	}
	names(root)
	for m := range root.node.All() {
		if isSection(m.Name()) || m.Name() == "definitions" {
			names(root.at(m))
		}
	}
	if len(messages) > 0 {
		u.broken = append(u.broken, source.Broken{Source: u.source(""), Messages: messages})
	}
	return len(messages) > 0
}

func doubled(at location) diag.Message {
	pos := at.where()
	pos.Offset = at.node.NameOffset()
	return diag.Errorf(pos, "the member %q appears twice in one object", at.node.Name())
}

// noteDoubled adds notes for duplicate members that no resource reaches.
func (u *unit) noteDoubled() {
	for _, m := range u.doc.tree.Doubled() {
		if !u.doubled[m] {
			u.note(location{u.doc, m}, "doubled", "the member %q appears twice in one object; no resource uses it", m.Name())
		}
	}
}
