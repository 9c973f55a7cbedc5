package arm

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// entry is one member of a section: a resource, with the types and versions that it names.
type entry struct {
	section         string
	types, versions []string
	spec            model.Type
	root            *definition
}

func (u *unit) entry(section string, at location) *entry {
	e := &entry{section: section, root: &definition{location: at}}
	if at.node.Kind() != jsontree.Object {
		e.root.problems = []diag.Message{at.errorf("a resource must be an object, not %s", at.node.Kind())}
		return e
	}
	e.types = u.types(e)
	e.versions = u.versions(e)
	c := &compiler{unit: u, owner: e.root}
	p := c.schema(at, body)
	if e.spec = p.typ; e.spec == nil {
		e.spec = &model.Object{}
	}
	return e
}

// declare adds a version for each type and version that an entry names, or reports why the entry
// cannot be understood.
func (u *unit) declare(e *entry) {
	defs, problems := u.closure(e.root)
	for _, typ := range orUnknown(e.types) {
		for _, name := range orUnknown(e.versions) {
			from := u.source(e.section)
			if len(problems) > 0 {
				u.broken = append(u.broken, source.Broken{Type: typ, Version: name, Source: from, Messages: problems})
				continue
			}
			u.declared = append(u.declared, source.Declared{Type: typ, Version: &model.Version{
				Name: name, Sources: []model.Source{from}, Spec: e.spec, Defs: defs, Pos: e.root.location.pos(),
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

// closure returns the definitions that root reaches, in the order in which they are first reached,
// and the problems of all of them.
func (u *unit) closure(root *definition) ([]*model.Def, []diag.Message) {
	u.visits++
	var defs []*model.Def
	problems := slices.Clone(root.problems)
	open := []*definition{root}
	for len(open) > 0 {
		d := open[len(open)-1]
		open = open[:len(open)-1]
		if d.visit == u.visits {
			continue
		}
		d.visit = u.visits
		if d != root {
			defs = append(defs, d.def)
			problems = append(problems, d.problems...)
		}
		for _, next := range slices.Backward(d.reached) {
			if next.visit != u.visits {
				open = append(open, next)
			}
		}
	}
	slices.SortFunc(problems, byPlace)
	return defs, slices.Compact(problems)
}
