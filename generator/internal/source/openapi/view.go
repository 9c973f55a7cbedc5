package openapi

import (
	"github.com/stratakube/strata/generator/internal/syntax"
)

// view selects the properties of a schema: for the spec or for the status.
type view uint8

const (
	spec   view = iota // writable properties
	status             // readable properties
)

// access is how a property may be used.
type access struct{ noWrite, noRead bool }

func (a access) hides(v view) bool {
	if v == spec {
		return a.noWrite
	}
	return a.noRead
}

// accessOf returns the access that a schema sets for its property. Where it sets none, the target
// of its reference does.
func (u *unit) accessOf(at location) access {
	for range maxChain {
		if a, ok := saysAccess(at.value); ok {
			return a
		}
		next := u.referredOnce(at)
		if !next.exists() {
			break
		}
		at = next
	}
	return access{}
}

// referredOnce returns the schema that a schema refers to, directly or as the only part of its
// allOf.
func (u *unit) referredOnce(at location) location {
	if all := at.value.Member("allOf").All(); len(all) == 1 && !at.member("$ref").exists() {
		at = at.at(all[0])
	}
	if ref := at.member("$ref"); ref.value.Kind() == syntax.String {
		return u.resolve(ref).location
	}
	return at.at(nil)
}

func saysAccess(v *syntax.Value) (access, bool) {
	if list := v.Member("x-ms-mutability"); list.Kind() == syntax.List {
		a := access{true, true}
		for _, word := range list.All() {
			switch word.Text() {
			case "create", "update":
				a.noWrite = false
			case "read":
				a.noRead = false
			}
		}
		return a, true
	}
	a := access{v.Member("readOnly").IsTrue(), v.Member("writeOnly").IsTrue()}
	return a, a != access{}
}

// isSecret reports whether the values of a schema are secrets.
func isSecret(v *syntax.Value) bool {
	return v.Member("x-ms-secret").IsTrue() || v.Member("x-strata-secret").IsTrue() || v.Member("format").Text() == "password"
}

// split finds the schemas that differ between the spec and the status: those with a property of
// only one of them, and all that refer to such schemas.
func (u *unit) split(resources []*resource) map[*syntax.Value]bool {
	s := &splitter{u, map[*syntax.Value]bool{}, map[*syntax.Value][]*syntax.Value{}, map[*syntax.Value]bool{}, nil}
	for _, r := range resources {
		s.reach(r.body, nil)
		s.reach(r.answer, nil)
	}
	for len(s.open) > 0 {
		at := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		s.scan(at, at)
		for _, h := range u.families.heirs(at) {
			s.reach(h, at.value)
		}
	}
	return s.spread()
}

type splitter struct {
	*unit
	seen  map[*syntax.Value]bool
	from  map[*syntax.Value][]*syntax.Value // the schemas that refer to a schema
	split map[*syntax.Value]bool
	open  []location
}

// reach adds a schema that another one refers to.
func (s *splitter) reach(to location, from *syntax.Value) {
	if !to.exists() {
		return
	}
	if from != nil {
		s.from[to.value] = append(s.from[to.value], from)
	}
	if !s.seen[to.value] {
		s.seen[to.value] = true
		s.open = append(s.open, to)
	}
}

// scan looks for one-sided properties and references within a schema.
func (s *splitter) scan(at, in location) {
	if at.value.Kind() == syntax.Object {
		if _, one := saysAccess(at.value); one || isSecret(at.value) {
			s.split[in.value] = true
		}
		if ref := at.member("$ref"); ref.value.Kind() == syntax.String {
			s.reach(s.resolve(ref).location, in.value)
		}
	}
	for _, v := range at.value.All() {
		if !examples[v.Name()] {
			s.scan(at.at(v), in)
		}
	}
}

// spread marks all schemas that refer to marked ones.
func (s *splitter) spread() map[*syntax.Value]bool {
	var open []*syntax.Value
	for v := range s.split {
		open = append(open, v)
	}
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		for _, from := range s.from[v] {
			if !s.split[from] {
				s.split[from] = true
				open = append(open, from)
			}
		}
	}
	return s.split
}
