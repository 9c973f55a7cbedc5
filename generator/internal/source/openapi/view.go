package openapi

import (
	"maps"
	"slices"

	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// accessOf returns the access that a schema sets for its property. Where it sets none, the target
// of its reference does.
func (u *unit) accessOf(at document.Location) jsonschema.Access {
	for range jsonschema.MaxChain {
		if a, ok := ownAccess(at); ok {
			return a
		}
		next := u.referredOnce(at)
		if !next.Exists() {
			break
		}
		at = next
	}
	return jsonschema.Access{}
}

// referredOnce returns the schema that a schema refers to, directly or as the only part of its
// allOf.
func (u *unit) referredOnce(at document.Location) document.Location {
	if all := at.Member("allOf"); all.Len() == 1 && !at.Member("$ref").Exists() {
		for only := range all.All() {
			at = only
		}
	}
	if ref := at.Member("$ref"); ref.Kind() == syntax.String {
		return u.references.Resolve(ref).Location
	}
	return at.None()
}

func ownAccess(v document.Location) (jsonschema.Access, bool) {
	if list := v.Member("x-ms-mutability"); list.Kind() == syntax.List {
		a := jsonschema.Access{NoWrite: true, NoRead: true}
		for word := range list.All() {
			switch word.Text() {
			case "create", "update":
				a.NoWrite = false
			case "read":
				a.NoRead = false
			}
		}
		return a, true
	}
	a := jsonschema.Access{NoWrite: v.Member("readOnly").IsTrue(), NoRead: v.Member("writeOnly").IsTrue()}
	return a, a != jsonschema.Access{}
}

// isSecret reports whether the values of a schema are secrets.
func isSecret(v document.Location) bool {
	return v.Member("x-ms-secret").IsTrue() || v.Member("x-strata-secret").IsTrue() || v.Member("format").Text() == "password"
}

// split finds the schemas that differ between the spec and the status: those with a property of
// only one of them, and all that refer to such schemas.
func (u *unit) split(resources []*resource) map[document.Location]bool {
	s := &splitter{u, map[document.Location]bool{}, map[document.Location][]document.Location{}, map[document.Location]bool{}, nil}
	for _, r := range resources {
		s.reach(r.body, r.body.None())
		s.reach(r.answer, r.answer.None())
	}
	for len(s.open) > 0 {
		at := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		s.scan(at, at)
		heirs, _ := u.families.heirs(at) // compiling the family fails where there are more
		for _, h := range heirs {
			s.reach(h, at)
		}
	}
	open := slices.Collect(maps.Keys(s.split))
	jsonschema.Spread(open, func(at document.Location) []document.Location { return s.from[at] }, s.mark)
	return s.split
}

// mark records that a schema differs. It returns false if that was recorded before.
func (s *splitter) mark(at document.Location) bool {
	known := s.split[at]
	s.split[at] = true
	return !known
}

type splitter struct {
	*unit
	seen  map[document.Location]bool
	from  map[document.Location][]document.Location // the schemas that refer to a schema
	split map[document.Location]bool
	open  []document.Location
}

// reach adds a schema that another one refers to.
func (s *splitter) reach(to document.Location, from document.Location) {
	if !to.Exists() {
		return
	}
	if from.Exists() {
		s.from[to] = append(s.from[to], from)
	}
	if !s.seen[to] {
		s.seen[to] = true
		s.open = append(s.open, to)
	}
}

// scan looks for one-sided properties and references within a schema.
func (s *splitter) scan(at, in document.Location) {
	if at.Kind() == syntax.Object {
		if _, one := ownAccess(at); one || isSecret(at) {
			s.split[in] = true
		}
		if ref := at.Member("$ref"); ref.Kind() == syntax.String {
			s.reach(s.references.Resolve(ref).Location, in)
		}
	}
	for v := range at.All() {
		if !examples[v.Name()] {
			s.scan(v, in)
		}
	}
}
