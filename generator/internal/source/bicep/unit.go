package bicep

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// unit is the result of one file.
type unit struct {
	path     string
	doc      *document // nil if the file cannot be decoded
	declared []source.Declared
	broken   []source.Broken
	notes    map[string]diag.Message
}

func read(files fs.FS, root, path string) *unit {
	u := &unit{path: path, notes: map[string]diag.Message{}}
	doc, err := open(files, root, path)
	if err != nil {
		u.reject(model.Source{Kind: "bicep", File: path}, "", "", source.MessageOf(err))
		return u
	}
	u.doc = doc
	for _, n := range doc.types {
		u.entry(n)
	}
	return u
}

func (u *unit) reject(s model.Source, typ, version string, messages ...diag.Message) {
	u.broken = append(u.broken, source.Broken{Type: typ, Version: version, Source: s, Messages: messages})
}

// entry reads one element of the list: a resource, or a type that resources refer to.
func (u *unit) entry(n jsontree.Node) {
	switch kind := n.Member("$type"); {
	case n.Kind() != jsontree.Object:
		u.reject(model.Source{Kind: "bicep", File: u.path}, "", "", u.doc.errorf(n, "a type must be an object, not %s", n.Kind()))
	case kind.Text() == "ResourceType":
		u.resource(n)
	case kind.Text() == "ResourceFunctionType": // an action of a resource
	case members[kind.Text()] == nil:
		u.note("type "+kind.Text(), n, "a type of the kind %q is not known; no resource can use it", kind.Text())
	}
}

// note records a note. The first one of a name in a file counts.
func (u *unit) note(name string, n jsontree.Node, format string, args ...any) {
	if _, ok := u.notes[name]; !ok {
		u.notes[name] = diag.Message{Severity: diag.Note, Text: fmt.Sprintf(format, args...), Pos: u.doc.where(n)}
	}
}

// noted returns the notes in the order of their positions.
func (u *unit) noted() []diag.Message {
	var all []diag.Message
	for _, m := range u.notes {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b diag.Message) int {
		return cmp.Or(cmp.Compare(a.Pos.Offset, b.Pos.Offset), cmp.Compare(a.Text, b.Text))
	})
	return all
}
