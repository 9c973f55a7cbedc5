package openapi

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// unit is the result of one document. Units share no mutable data: each has its own definitions,
// also for those of other files.
type unit struct {
	lib      *library
	path     string
	file     *file // nil if it cannot be decoded
	foreign  bool  // it is not a document
	dialect  dialect
	declared []declared
	broken   []source.Broken
	notes    map[subject]diag.Message

	targets  map[reference]*target
	referred []*file
	families families
	views    map[*syntax.Value]bool // the schemas that differ in the status
}

// declared is a resource version, and what its document declares for the resource.
type declared struct {
	source.Declared
	stated statement
}

// dialect is the language of a document.
type dialect uint8

const (
	unknown dialect = iota
	swagger2
	openapi30
	openapi31
)

func newUnit(lib *library, path string) *unit {
	return &unit{lib: lib, path: path, notes: map[subject]diag.Message{}, targets: map[reference]*target{}}
}

func read(lib *library, path string) *unit {
	u := newUnit(lib, path)
	f, err := lib.read(path)
	if err != nil {
		u.reject(source.MessageOf(err))
		return u
	}
	u.file = f
	if !u.speaks() {
		return u
	}
	u.families = u.explore()
	found := u.resources()
	u.views = u.split(found)
	for _, r := range found {
		u.compile(r)
	}
	u.forget()
	return u
}

// forget releases large data once all positions are known.
func (u *unit) forget() {
	u.targets, u.families, u.views = nil, families{}, nil
	u.file.all, u.file.root = nil, nil
}

// reject records errors of the document that belong to no resource.
func (u *unit) reject(messages ...diag.Message) {
	u.broken = append(u.broken, source.Broken{Source: u.source(""), Messages: messages})
}

func (u *unit) source(scope string) model.Source {
	return model.Source{Kind: "openapi", File: u.path, Scope: scope}
}

func (u *unit) root() location { return location{u.file, u.file.root} }

// speaks determines the dialect. It returns false if there is nothing to read.
func (u *unit) speaks() bool {
	swagger, openapi := u.root().member("swagger"), u.root().member("openapi")
	switch number := word(swagger.value) + word(openapi.value); {
	case !swagger.exists() && !openapi.exists():
		u.foreign = true
	case swagger.exists() && number == "2.0":
		u.dialect = swagger2
	case strings.HasPrefix(number, "3.0."):
		u.dialect = openapi30
	case strings.HasPrefix(number, "3.1."):
		u.dialect = openapi31
	case swagger.exists():
		u.reject(swagger.errorf("Swagger %s is not known", swagger.value.JSON()).WithHint("swagger must be \"2.0\""))
	default:
		u.reject(openapi.errorf("OpenAPI %s is not known", openapi.value.JSON()).WithHint("openapi must be 3.0.x or 3.1.x"))
	}
	return u.dialect != unknown
}

// word returns a string, or the text of a number: YAML reads a plain 2.0 as a number.
func word(v *syntax.Value) string { return v.Text() + v.Number() }
