package bicep

import (
	"io/fs"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// unit reads one file.
type unit struct {
	document.Unit
	path  string
	file  *file // nil if the file cannot be decoded
	notes document.Notes
}

func read(files fs.FS, root, path string) *document.Unit {
	u := &unit{path: path}
	f, err := open(files, root, path)
	if err != nil {
		u.reject(source.MessageOf(err))
		return &u.Unit
	}
	u.file = f
	for _, n := range f.types {
		u.entry(n)
	}
	result := u.Unit
	result.Notes, result.Files = u.notes.Recorded(), []source.File{f.File}
	return &result
}

// reject records errors of the file that belong to no resource.
func (u *unit) reject(messages ...diag.Message) {
	u.Reject(source.Broken{Source: model.Source{Kind: "bicep", File: u.path}}, messages...)
}

// entry reads one element of the list: a resource, or a type that resources refer to.
func (u *unit) entry(n document.Location) {
	switch kind := n.Member("$type"); {
	case n.Kind() != syntax.Object:
		u.reject(n.Errorf("a type must be an object, not %s", n.Kind()))
	case kind.Text() == "ResourceType":
		u.resource(n)
	case kind.Text() == "ResourceFunctionType": // an action of a resource
	case members[kind.Text()] == nil:
		u.notes.Add(n, "type "+kind.Text(), "a type of the kind %q is not known; no resource can use it", kind.Text())
	}
}
