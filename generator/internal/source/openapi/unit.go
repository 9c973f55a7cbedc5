package openapi

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
)

// unit reads one document. Units share no mutable data: each has its own definitions, also for
// those of other files.
type unit struct {
	document.Unit
	lib     *library
	path    string
	doc     *document.Document // nil if it cannot be decoded
	foreign bool               // it is not a document
	dialect dialect
	stated  []stated
	notes   document.Notes

	references *document.References
	referred   []*document.Document
	families   families
	views      map[document.Location]bool // the schemas that differ in the status
}

// stated is what the document of a version declares for its resource.
type stated struct {
	version *model.Version
	typ     string
	statement
}

// dialect is the language of a document.
type dialect uint8

const (
	unknown dialect = iota
	swagger2
	openapi30
	openapi31
)

func read(lib *library, path string) *unit {
	u := &unit{lib: lib, path: path}
	u.references = document.NewReferences(u.follow)
	doc, err := lib.read(path)
	if err != nil {
		u.reject(source.MessageOf(err))
		return u
	}
	u.doc = doc
	if u.recognize() {
		u.families = u.explore()
		found := u.resources()
		u.views = u.split(found)
		for _, r := range found {
			u.compile(r)
		}
	}
	u.finish()
	return u
}

// finish completes the result, and releases large data once all positions are known.
func (u *unit) finish() {
	u.Notes = u.notes.Recorded()
	u.Files = []source.File{u.doc.File}
	for _, doc := range u.referred {
		u.Files = append(u.Files, doc.File)
	}
	u.notes, u.references, u.families, u.views = document.Notes{}, nil, families{}, nil
	u.doc.Forget()
}

// reject records errors of the document that belong to no resource.
func (u *unit) reject(messages ...diag.Message) {
	u.Reject(source.Broken{Source: u.source("")}, messages...)
}

func (u *unit) source(scope string) model.Source {
	return model.Source{Kind: "openapi", File: u.path, Scope: scope}
}

func (u *unit) root() document.Location { return u.doc.Root() }

// recognize determines the dialect. It returns false if there is nothing to read.
func (u *unit) recognize() bool {
	swagger, openapi := u.root().Member("swagger"), u.root().Member("openapi")
	switch number := word(swagger) + word(openapi); {
	case !swagger.Exists() && !openapi.Exists():
		u.foreign = true
	case swagger.Exists() && number == "2.0":
		u.dialect = swagger2
	case strings.HasPrefix(number, "3.0."):
		u.dialect = openapi30
	case strings.HasPrefix(number, "3.1."):
		u.dialect = openapi31
	case swagger.Exists():
		u.reject(swagger.Errorf("Swagger %s is not known", swagger.JSON()).WithHint("swagger must be \"2.0\""))
	default:
		u.reject(openapi.Errorf("OpenAPI %s is not known", openapi.JSON()).WithHint("openapi must be 3.0.x or 3.1.x"))
	}
	return u.dialect != unknown
}

// word returns a string, or the text of a number: YAML reads a plain 2.0 as a number.
func word(v document.Location) string { return v.Text() + v.Number() }
