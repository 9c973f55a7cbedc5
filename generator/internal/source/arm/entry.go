package arm

import (
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// entry is one member of a section: a resource, with the types and versions that it names.
type entry struct {
	section         string
	types, versions []string
	spec            model.Type
	root            *jsonschema.Definition
}

// maxNamed is the largest number of resource versions that one resource may name.
const maxNamed = 5000

func (u *unit) entry(section string, at document.Location) *entry {
	e := &entry{section: section, root: u.compiler.Root(at)}
	if at.Kind() != syntax.Object {
		u.compiler.Fail(at.Errorf("a resource must be an object, not %s", at.Kind()))
		return e
	}
	e.types = u.types(at)
	e.versions = u.versions(at)
	if len(e.types)*len(e.versions) > maxNamed {
		u.compiler.Fail(at.Errorf("the resource names more than %d resource versions", maxNamed).
			WithHint("give type and apiVersion an enum of one value"))
		e.types, e.versions = nil, nil
	}
	e.spec = u.compiler.Body(at, jsonschema.Spec)
	return e
}

// declare adds a version for each type and version that an entry names, or reports why the entry
// cannot be understood.
func (u *unit) declare(e *entry) {
	defs, problems := u.compiler.Closure(e.root)
	for _, typ := range orUnknown(e.types) {
		for _, name := range orUnknown(e.versions) {
			from := u.source(e.section)
			if len(problems) > 0 {
				u.Reject(source.Broken{Type: typ, Version: name, Source: from}, problems...)
				continue
			}
			u.Declared = append(u.Declared, source.Declared{Type: typ, Version: &model.Version{
				Name: name, Sources: []model.Source{from}, Spec: e.spec, Defs: defs, Pos: e.root.At.Pos(),
			}})
		}
	}
}

func orUnknown(names []string) []string {
	if len(names) == 0 {
		return []string{""}
	}
	return names
}
