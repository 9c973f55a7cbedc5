package gotest

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/plan"
)

// completed returns the versions of a resource whose conversions hand-written steps or functions
// may complete. There are none if the group has neither.
func completed(k *plan.Kind) []*plan.KindVersion {
	if !slices.ContainsFunc(k.Group.Packages, byHand) && !slices.ContainsFunc(k.Group.Packages, byFunctions) {
		return nil
	}
	return k.Versions
}

// byHand reports whether hand-written steps complete conversions of a package.
func byHand(p *plan.Package) bool {
	return slices.ContainsFunc(p.Kinds, func(kv *plan.KindVersion) bool { return kv.OwnWhole != (plan.Hand{}) }) ||
		slices.ContainsFunc(p.Structs, completesObject) || slices.ContainsFunc(p.Steps, (*plan.Step).ByHand)
}

// byFunctions reports whether functions complete conversions of a package.
func byFunctions(p *plan.Package) bool {
	return slices.ContainsFunc(p.Steps, func(s *plan.Step) bool { return len(s.Derived) > 0 })
}

// augmentedPaths returns the paths at which hand-written steps of a version complete conversions.
// live are JSON paths with that version's names, and inBag those of properties in its bags. A
// path includes all paths below it.
func augmentedPaths(kv *plan.KindVersion) (live, inBag []string) {
	for _, root := range []struct {
		path   string
		object *plan.Struct
	}{{"spec", kv.Spec}, {"status", kv.Status}} {
		if root.object == nil {
			continue
		}
		if kv.OwnWhole != (plan.Hand{}) {
			live = append(live, root.path)
		}
		live = append(live, handPaths(root.object, root.path, completesObject, membersOf)...)
		if s := neighbour(kv.Package, root.object); s != nil {
			live = append(live, handPaths(s, root.path, completesStep, liveSteps)...)
			inBag = append(inBag, handPaths(s, root.path, completesStep, waysOf)...)
		}
	}
	live, inBag = sorted(live), sorted(inBag)
	return live, slices.DeleteFunc(inBag, func(path string) bool { return slices.Contains(live, path) })
}

func sorted(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
}

// completesObject reports whether a hand-written step completes the conversion between an
// API type and its storage type.
func completesObject(s *plan.Struct) bool { return s.Own != (plan.Hand{}) }

func membersOf(s *plan.Struct) []edge[*plan.Struct] {
	var out []edge[*plan.Struct]
	for _, f := range s.Fields {
		if f.API.Struct != nil {
			out = append(out, edge[*plan.Struct]{suffix(f, f.API), f.API.Struct})
		}
	}
	return out
}

// completesStep reports whether hand-written steps or functions complete the step to the
// neighbour.
func completesStep(s *plan.Step) bool { return s.ByHand() || len(s.Derived) > 0 }

// waysOf returns the steps within a step, including those for values in bags. A property in the
// far side's bag has its name on the near side.
func waysOf(s *plan.Step) []edge[*plan.Step] {
	return stepsOf(s, func(m *plan.Move) *plan.Field {
		if m.Far == nil {
			return m.Near
		}
		return m.Far
	})
}

// liveSteps returns the steps within a step for properties that the far side has.
func liveSteps(s *plan.Step) []edge[*plan.Step] {
	return stepsOf(s, func(m *plan.Move) *plan.Field { return m.Far })
}

func stepsOf(s *plan.Step, field func(*plan.Move) *plan.Field) []edge[*plan.Step] {
	var out []edge[*plan.Step]
	for _, mv := range s.Moves {
		named := field(mv)
		if named == nil {
			continue
		}
		steps := []*plan.Step{mv.Step}
		for _, e := range slices.Concat(mv.Up, mv.Down) {
			steps = append(steps, e.Steps...)
		}
		for _, step := range steps {
			if step != nil {
				out = append(out, edge[*plan.Step]{suffix(named, named.Type), step})
			}
		}
	}
	return out
}

// neighbour returns the neighbour step of a root's spec or status; nil if there is none.
func neighbour(p *plan.Package, far *plan.Struct) *plan.Step {
	for _, s := range p.Steps {
		if s.Kind == plan.Neighbour && s.Far == far {
			return s
		}
	}
	return nil
}

// wraps formats lists and maps in a path.
var wraps = strings.NewReplacer("l", "[]", "m", "{}")

// suffix returns the part of a path for a field of a type.
func suffix(f *plan.Field, t plan.Type) string {
	wrap := wraps.Replace(t.Wrap)
	if f.Additional {
		return wrap
	}
	return "." + f.Property.Name + wrap
}
