package removals

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

// Likely is the likelihood from which a new name is proposed.
const Likely = 0.55

// Finding is a property that ends without an entry in the metadata.
type Finding struct {
	Group    string   `json:"group"` // the folder of the group
	Version  string   `json:"version"`
	Next     string   `json:"next"` // the next version of the main line
	Type     string   `json:"type"`
	Property string   `json:"property"`
	Kinds    []string `json:"kinds"`
	// Path is the path of the property in the first of the kinds.
	Path string `json:"path"`
	// Returns is the version that has the property again, if there is one.
	Returns string `json:"returns,omitzero"`
	// Candidates are likely names of the property in the next version, the most likely first, at
	// most three.
	Candidates []Candidate `json:"candidates"`

	Pos model.Pos `json:"-"`
}

// Candidate is a property that is new in the next version or, if that has none, in a later one.
// Likelihood is between 0 and 1.
type Candidate struct {
	Name string `json:"name"`
	// Version is the version that has the property, if it is a later one than the next.
	Version    string   `json:"version,omitzero"`
	Likelihood float64  `json:"likelihood"`
	Why        []string `json:"why"`
	// Change is the change that the types suggest beyond the name, as strata.yaml declares it; empty
	// for none.
	Change string `json:"change,omitzero"`
}

const maxCandidates = 3

// Likelihood returns that of the most likely new name; 0 if there is none.
func (f *Finding) Likelihood() float64 {
	if len(f.Candidates) == 0 {
		return 0
	}
	return f.Candidates[0].Likelihood
}

// IsRename reports whether the property is likely to have a new name.
func (f *Finding) IsRename() bool { return f.Likelihood() >= Likely }

// Line returns the line of strata.yaml for the most likely case.
func (f *Finding) Line() string {
	name := plaintext.YAML(f.Property)
	if f.IsRename() {
		if c := f.Candidates[0]; c.Version != "" {
			return fmt.Sprintf("%s: {renamedTo: {version: %q, name: %s}}", name, c.Version, plaintext.YAML(c.Name))
		}
		line := "nameInNextVersion: " + plaintext.YAML(f.Candidates[0].Name)
		if change := f.Candidates[0].Change; change != "" {
			line += ", " + change
		}
		return name + ": {" + line + "}"
	}
	return name + ": {removed: assessed}"
}

// Below returns the path in strata.yaml below which the line belongs.
func (f *Finding) Below() string {
	return diag.Key(diag.Key(diag.Key("resources", f.Group), f.Version), f.Type)
}

// Find returns the properties without an entry in the metadata that a version has and the next one
// on the main line does not, although it has the object that contains them. The most likely renames
// come first. For properties of leaves only, the first leaf counts. For properties of statuses
// only, a finding needs a likely rename. about reports which resources matter. The result is
// incomplete once the context has ended.
func Find(ctx context.Context, c *chain.Chain, m Metadata, about func(resourceType string) bool) []*Finding {
	s := &search{assessed: map[key]bool{}, found: map[key]*Finding{}, observed: map[*Finding]bool{}}
	for _, n := range m.Removals {
		s.assessed[keyOf(n.Group, n.Version, n.Type, n.Property)] = true
	}
	for _, n := range m.Renames {
		if n.In != "" {
			s.assessed[keyOf(n.Group, n.Version, n.Type, n.Property)] = true
		}
	}
	for _, g := range c.Groups {
		for _, r := range g.Resources {
			if ctx.Err() == nil && about(r.Model.Type) {
				s.resource(r)
			}
		}
	}
	for _, f := range s.all {
		f.rank()
	}
	slices.SortStableFunc(s.all, likelier)
	assignNames(s.all)
	slices.SortStableFunc(s.all, likelier)
	return slices.DeleteFunc(s.all, func(f *Finding) bool { return s.observed[f] && !f.IsRename() })
}

func likelier(a, b *Finding) int { return cmp.Compare(b.Likelihood(), a.Likelihood()) }

// assignNames assigns every new name to the property that most likely has it.
func assignNames(ranked []*Finding) {
	taken := map[key]bool{}
	for _, f := range ranked {
		of := func(name string) key { return keyOf(f.Group, f.Version, f.Type, name) }
		f.Candidates = slices.DeleteFunc(f.Candidates, func(c Candidate) bool { return taken[of(c.Name)] })
		if f.IsRename() {
			taken[of(f.Candidates[0].Name)] = true
		}
	}
}

type search struct {
	assessed map[key]bool
	found    map[key]*Finding
	observed map[*Finding]bool // in statuses only
	all      []*Finding
}

func (s *search) resource(r *chain.Resource) {
	paths := r.Paths()
	for _, v := range r.Versions {
		next := nextMain(r, v)
		if next == nil {
			continue
		}
		for _, p := range r.Places() {
			if p.Defs[v.Index] != nil && p.Defs[next.Index] != nil {
				s.inspect(spot{p, v}, next, paths)
			}
		}
	}
}

func (s *search) inspect(o spot, next *chain.Version, paths map[*chain.Place]string) {
	for _, l := range o.place.Lineages {
		if p := l.Live[o.version.Index]; p != nil && o.ends(l, next) && o.place.Mode(o.version.Index, p) != chain.None && !o.place.Resource.Leaves(o.version.Index, o.def(), p) {
			s.add(o, l, next, paths[o.place])
		}
	}
}

// ends reports whether a lineage ends in a version: the next one does not have it, and no earlier
// version reports it.
func (o spot) ends(l *chain.Lineage, next *chain.Version) bool {
	if l.Live[next.Index] != nil || l.Live[o.version.Index].Name == chain.AdditionalName {
		return false
	}
	if !o.version.Leaf {
		return true
	}
	for _, v := range o.place.Resource.Versions[:o.version.Index] {
		if l.Live[v.Index] != nil && nextMain(o.place.Resource, v) == next {
			return false
		}
	}
	return true
}

func (s *search) add(o spot, l *chain.Lineage, next *chain.Version, path string) {
	r, p := o.place.Resource, l.Live[o.version.Index]
	k := keyOf(r.Group.Folder, o.version.Model.Name, o.def().Name, p.Name)
	for _, name := range o.place.Names(o.version.Index) {
		if s.assessed[keyOf(r.Group.Folder, o.version.Model.Name, name, p.Name)] {
			return
		}
	}
	f := s.found[k]
	if f == nil {
		f = &Finding{
			Group: r.Group.Folder, Version: o.version.Model.Name, Next: next.Model.Name, Type: o.def().Name, Property: p.Name,
			Path: strings.TrimPrefix(path+"."+p.Name, "."), Candidates: []Candidate{}, Pos: p.Pos,
		}
		s.found[k] = f
		s.all = append(s.all, f)
		s.observed[f] = true
	}
	s.observed[f] = s.observed[f] && o.place.Observed
	if !slices.Contains(f.Kinds, r.Model.Kind) {
		f.Kinds = append(f.Kinds, r.Model.Kind)
	}
	f.Returns = cmp.Or(f.Returns, returns(l, next))
	f.Candidates = append(f.Candidates, o.candidates(l, next)...)
	if f.Returns == "" {
		f.Candidates = append(f.Candidates, o.laterCandidates(l, next)...)
	}
}

// returns returns the first version after another in which a lineage exists again.
func returns(l *chain.Lineage, after *chain.Version) string {
	for _, v := range l.Place.Resource.Versions[after.Index+1:] {
		if l.Live[v.Index] != nil {
			return v.Model.Name
		}
	}
	return ""
}

// later is the factor for the likelihood of a name that comes after versions with neither name.
const later = 0.9

// again is the factor for a likelihood if the property itself returns later.
const again = 0.9

// rank sorts candidates, and removes duplicate names and unlikely candidates.
func (f *Finding) rank() {
	for i := range f.Candidates {
		if c := &f.Candidates[i]; f.Returns != "" {
			c.Likelihood = math.Round(c.Likelihood*again*100) / 100
			c.Why = append(c.Why, "returns in "+f.Returns)
		}
	}
	slices.SortStableFunc(f.Candidates, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Likelihood, a.Likelihood), strings.Compare(a.Name, b.Name))
	})
	seen := map[string]bool{}
	f.Candidates = slices.DeleteFunc(f.Candidates, func(c Candidate) bool {
		twice := seen[c.Name+"@"+c.Version]
		seen[c.Name+"@"+c.Version] = true
		return twice || c.Likelihood < Likely/2
	})
	f.Candidates = f.Candidates[:min(len(f.Candidates), maxCandidates)]
}
