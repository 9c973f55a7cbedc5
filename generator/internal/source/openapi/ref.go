package openapi

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// maxFiles is the largest number of files that a document may refer to.
const maxFiles = 2000

// follow resolves the text of a $ref.
func (u *unit) follow(text string, from *document.Document) *document.Target {
	address, fragment, _ := strings.Cut(text, "#")
	doc, problem := u.open(address, from)
	if doc == nil {
		return &document.Target{Problem: problem}
	}
	return doc.Find(document.Unescape(fragment))
}

// open returns the file of an address, or explains why there is none.
func (u *unit) open(address string, from *document.Document) (*document.Document, diag.Message) {
	if strings.Contains(address, "://") {
		return nil, diag.Message{
			Text: "the reference leads to " + address + ", and nothing is read from a network",
			Hint: "put the file below the root, and refer to it by its path",
		}
	}
	to := from.Path
	if address != "" {
		to = path.Join(path.Dir(from.Path), document.Unescape(address))
	}
	switch {
	case to == from.Path:
		return from, diag.Message{}
	case to == u.path:
		return u.doc, diag.Message{}
	case !u.lib.known[to]:
		return nil, diag.Message{
			Text: "the reference leads to " + to + ", and no file of JSON or YAML below the root has that path",
			Hint: "paths are those from the folder of the file; choose a root that is above both files",
		}
	case len(u.referred) == maxFiles:
		return nil, diag.Message{Text: "the document leads to more than " + strconv.Itoa(maxFiles) + " files"}
	}
	doc, err := u.lib.refer(to)
	if err != nil {
		return nil, diag.Message{Text: "the reference leads to " + to + ", which cannot be read: " + source.MessageOf(err).Text}
	}
	if !slices.Contains(u.referred, doc) {
		u.referred = append(u.referred, doc)
	}
	return doc, diag.Message{}
}

// behind returns the value at a location after following references. It does not exist if a
// reference has no target, which is passed to fail.
func (u *unit) behind(at document.Location, fail func(diag.Message)) document.Location {
	for range jsonschema.MaxChain {
		ref := at.Member("$ref")
		if ref.Kind() != syntax.String {
			return at
		}
		t := u.references.Resolve(ref)
		if !t.Exists() {
			m := t.Problem
			m.Pos = ref.Where()
			fail(m)
			return at.None()
		}
		at = t.Location
	}
	fail(at.Errorf("references lead to references without end"))
	return at.None()
}
