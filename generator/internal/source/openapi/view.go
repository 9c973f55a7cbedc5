package openapi

import (
	"github.com/stratakube/strata/generator/internal/syntax"
)

// view is what a schema is looked at for.
type view uint8

const (
	spec   view = iota // what one may write
	status             // what one can read
)

// access is how a property may be used.
type access struct{ noWrite, noRead bool }

func (a access) hides(v view) bool {
	if v == spec {
		return a.noWrite
	}
	return a.noRead
}

// accessOf is what a schema says of the property that it is of. What it refers to speaks
// where it does not.
func (u *unit) accessOf(at place) access {
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

// referredOnce is what a schema refers to, by itself or as the only part of its allOf.
func (u *unit) referredOnce(at place) place {
	if all := at.value.Member("allOf").All(); len(all) == 1 && !at.member("$ref").exists() {
		at = at.at(all[0])
	}
	if ref := at.member("$ref"); ref.value.Kind() == syntax.String {
		return u.resolve(ref).place
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

// split finds the schemas that are another in the status than in the spec: those with a
// property that only one of the two has, and all that lead to them.
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
	from  map[*syntax.Value][]*syntax.Value // that lead to a schema
	split map[*syntax.Value]bool
	open  []place
}

// reach takes a schema that another leads to.
func (s *splitter) reach(to place, from *syntax.Value) {
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

// scan looks at all that stands in a schema, for marks and references.
func (s *splitter) scan(at, in place) {
	if at.value.Kind() == syntax.Object {
		if _, one := saysAccess(at.value); one || isSecret(at.value) {
			s.split[in.value] = true
		}
		if ref := at.member("$ref"); ref.value.Kind() == syntax.String {
			s.reach(s.resolve(ref).place, in.value)
		}
	}
	for _, v := range at.value.All() {
		if !examples[v.Name()] {
			s.scan(at.at(v), in)
		}
	}
}

// spread marks what leads to what is marked.
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
