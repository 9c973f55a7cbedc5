package gotest

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/plan"
)

// completed are the versions of a resource whose conversions hand-written steps, or functions, may
// complete: none if the group has neither.
func completed(k *plan.Kind) []*plan.KindVersion {
	if !slices.ContainsFunc(k.Group.Packages, byHand) && !slices.ContainsFunc(k.Group.Packages, byFunctions) {
		return nil
	}
	return k.Versions
}

// byHand tells whether hand-written steps complete conversions of a package.
func byHand(p *plan.Package) bool {
	return slices.ContainsFunc(p.Structs, func(s *plan.Struct) bool { return s.Own != (plan.Hand{}) }) ||
		slices.ContainsFunc(p.Steps, func(s *plan.Step) bool { return s.Hand != (plan.Hand{}) })
}

// byFunctions tells whether functions complete conversions of a package.
func byFunctions(p *plan.Package) bool {
	return slices.ContainsFunc(p.Steps, func(s *plan.Step) bool { return len(s.Derived) > 0 })
}

// handPlaces returns the places at which hand-written steps of a version complete
// conversions, by JSON paths in that version's names.
func handPlaces(kv *plan.KindVersion) []string {
	p := &places{}
	for _, root := range []struct {
		path   string
		object *plan.Struct
	}{{"spec", kv.Spec}, {"status", kv.Status}} {
		if root.object != nil {
			p.object(root.object, root.path)
			p.step(neighbour(kv.Package, root.object), root.path)
		}
	}
	slices.Sort(p.found)
	return slices.Compact(p.found)
}

// neighbour finds the step of a root's spec or status, nil where there is none.
func neighbour(p *plan.Package, far *plan.Struct) *plan.Step {
	for _, s := range p.Steps {
		if s.Kind == plan.Neighbour && s.Far == far {
			return s
		}
	}
	return nil
}

type places struct {
	found   []string
	objects []*plan.Struct // around the object at hand
	steps   []*plan.Step   // around the step at hand
}

// object finds what completes the conversion between an API type and its storage
// type.
func (p *places) object(s *plan.Struct, path string) {
	if slices.Contains(p.objects, s) {
		return
	}
	if s.Own != (plan.Hand{}) {
		p.found = append(p.found, path)
	}
	p.objects = append(p.objects, s)
	for _, f := range s.Fields {
		if f.Type.Struct != nil {
			p.object(f.Type.Struct, path+suffix(f))
		}
	}
	p.objects = p.objects[:len(p.objects)-1]
}

// step finds what completes the step to the neighbour, also for values that a bag
// holds.
func (p *places) step(s *plan.Step, path string) {
	if s == nil || slices.Contains(p.steps, s) {
		return
	}
	if s.Hand != (plan.Hand{}) || len(s.Derived) > 0 {
		p.found = append(p.found, path)
	}
	p.steps = append(p.steps, s)
	for _, mv := range s.Moves {
		if mv.Far == nil {
			continue
		}
		p.step(mv.Way, path+suffix(mv.Far))
		for _, e := range slices.Concat(mv.Up, mv.Down) {
			for _, way := range e.Way {
				p.step(way, path+suffix(mv.Far))
			}
		}
	}
	p.steps = p.steps[:len(p.steps)-1]
}

// wraps spells lists and maps in a path.
var wraps = strings.NewReplacer("l", "[]", "m", "{}")

// suffix is how a field continues a path.
func suffix(f *plan.Field) string {
	wrap := wraps.Replace(f.Type.Wrap)
	if f.Additional {
		return wrap
	}
	return "." + f.Property.Name + wrap
}
