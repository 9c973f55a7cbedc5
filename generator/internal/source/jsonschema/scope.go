package jsonschema

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
)

// Definition is a schema that is compiled separately: one that is referred to, or the root of a
// resource, which has no model.Def. It owns its errors.
type Definition struct {
	Def *model.Def
	At  document.Location
	Use Use

	problems []diag.Message
	reached  []*Definition // definitions that it refers to, each once, in order; if they are shared
	direct   []*Definition // those that it is made of, rather than contains

	reacher, directReacher *Definition // the last definition whose list contains this one
	visit                  int         // the last closure that visited it
}

// reach records a reference to a definition, if the lists of any or of direct ones are used. One
// definition is compiled at a time, so comparing with the last one that reached it is enough to
// record it once.
func (d *Definition) reach(to *Definition, anyway, direct bool) {
	if anyway && to.reacher != d {
		to.reacher = d
		d.reached = append(d.reached, to)
	}
	if direct && to.directReacher != d {
		to.directReacher = d
		d.direct = append(d.direct, to)
	}
}

// Scope owns definitions: of one resource, or of all resources of a file, which then share them.
type Scope struct {
	Names Names
	// Shared states that several resources share the definitions. Closure works only then.
	Shared bool

	owner   *Definition // what is being compiled
	defs    map[use]*Definition
	all     []*Definition
	pending []*Definition
	full    []diag.Message // the error of definitions beyond the limit
	visits  int
}

// use is the key of a definition.
type use struct {
	at   document.Location
	view View
	form Form
}

// Root begins a resource: it owns what is compiled until another definition begins.
func (s *Scope) Root(at document.Location) *Definition {
	s.owner = &Definition{At: at}
	return s.owner
}

// Fail records an error of the definition that is being compiled.
func (s *Scope) Fail(m diag.Message) { s.owner.problems = append(s.owner.problems, m) }

// Lookup returns the definition of a schema for a use, or nil.
func (s *Scope) Lookup(at document.Location, u Use) *Definition {
	return s.defs[use{at, u.View, u.Form}]
}

// Add adds a definition, and queues it for compilation.
func (s *Scope) Add(at document.Location, u Use, name string) *Definition {
	if s.defs == nil {
		s.defs = map[use]*Definition{}
	}
	d := &Definition{Def: &model.Def{Name: name, Pos: at.Pos(), Type: &model.Object{}}, At: at, Use: u.in(Standing)}
	d.Use.Form = u.Form
	s.defs[use{at, u.View, u.Form}] = d
	if len(s.all) == MaxDefinitions {
		d.problems = s.excess(at)
		return d
	}
	s.all = append(s.all, d)
	s.pending = append(s.pending, d)
	return d
}

// excess returns the error of definitions beyond the limit, which are not compiled. It is the same
// for all of them.
func (s *Scope) excess(at document.Location) []diag.Message {
	if s.full == nil {
		s.full = []diag.Message{at.Errorf("more than %d definitions are reached", MaxDefinitions)}
	}
	return s.full
}

// Refer returns a reference to a definition. direct reports that the definition that is being
// compiled is made of it, rather than contains it.
func (s *Scope) Refer(to *Definition, direct bool) model.Type {
	s.owner.reach(to, s.Shared, direct)
	return &model.Ref{Def: to.Def}
}

// Oldest begins the first of the queued definitions; nil if there is none.
func (s *Scope) Oldest() *Definition {
	if len(s.pending) == 0 {
		return nil
	}
	s.owner, s.pending = s.pending[0], s.pending[1:]
	return s.owner
}

// Newest begins the last of the queued definitions; nil if there is none.
func (s *Scope) Newest() *Definition {
	last := len(s.pending) - 1
	if last < 0 {
		return nil
	}
	s.owner, s.pending = s.pending[last], s.pending[:last]
	return s.owner
}

// Problems returns the errors of all definitions of a resource that shares none, and of its root,
// in the order of their positions, each once.
func (s *Scope) Problems(root *Definition) []diag.Message {
	problems := slices.Concat(root.problems, s.full)
	for _, d := range s.all {
		problems = append(problems, d.problems...)
	}
	return unique(problems)
}

func unique(problems []diag.Message) []diag.Message {
	slices.SortFunc(problems, document.ByPosition)
	return slices.Compact(problems)
}

// Closure returns the definitions that root reaches, in the order in which they are first reached,
// and the errors of all of them in the order of their positions, each once.
func (s *Scope) Closure(root *Definition) ([]*model.Def, []diag.Message) {
	s.visits++
	var defs []*model.Def
	problems := slices.Clone(root.problems)
	open := []*Definition{root}
	for len(open) > 0 {
		d := open[len(open)-1]
		open = open[:len(open)-1]
		if d.visit == s.visits {
			continue
		}
		d.visit = s.visits
		if d != root {
			defs = append(defs, d.Def)
			problems = append(problems, d.problems...)
		}
		for _, next := range slices.Backward(d.reached) {
			if next.visit != s.visits {
				open = append(open, next)
			}
		}
	}
	return defs, unique(problems)
}
