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
	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

// Likely is the likelihood from which a new name is proposed.
const Likely = 0.55

// Finding is a property without an entry in the metadata that ends, or that changes in a way that
// the metadata can declare.
type Finding struct {
	Group    string   `json:"group"` // the folder of the group
	Version  string   `json:"version"`
	Next     string   `json:"next"` // the next version of the main line
	Type     string   `json:"type"`
	Property string   `json:"property"` // for one that moves, the path of its names from Type
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

// Candidate is a property of the next version or, if that has none, of a later one. It is new
// there, unless the finding's property has its name. Likelihood is between 0 and 1.
type Candidate struct {
	Name string `json:"name"` // for a move, the path of its names
	// Version is the version that has the property, if it is a later one than the next.
	Version    string   `json:"version,omitzero"`
	Likelihood float64  `json:"likelihood"`
	Why        []string `json:"why"`
	// Change is the change that the types suggest beyond the name, as strata.yaml declares it; empty
	// for none.
	Change string `json:"change,omitzero"`

	isChange bool // and no new name
}

const maxCandidates = 3

// Likelihood returns that of the most likely new name; 0 if there is none.
func (f *Finding) Likelihood() float64 {
	if len(f.Candidates) == 0 {
		return 0
	}
	return f.Candidates[0].Likelihood
}

// Rule returns the rule of the finding.
func (f *Finding) Rule() finding.Rule {
	switch {
	case f.IsRename():
		return finding.Named("likely-rename")
	case f.IsChange():
		return finding.Named("likely-change")
	}
	return finding.Named("removal")
}

// Subject identifies the finding for a policy. Its resource is the group's folder and the first
// kind.
func (f *Finding) Subject() finding.Subject {
	rule := f.Rule().ID
	return finding.Subject{
		Rule: rule, Resource: f.Group + "/" + f.Kinds[0], Path: f.Path,
		Fingerprint: finding.Fingerprint(rule, f.Group, f.Version, f.Next, f.Type, f.Property),
	}
}

// IsRename reports whether the property is likely to have a new name.
func (f *Finding) IsRename() bool { return f.isLikely() && !f.Candidates[0].isChange }

// IsChange reports whether the property is likely to change otherwise, or to move.
func (f *Finding) IsChange() bool { return f.isLikely() && f.Candidates[0].isChange }

func (f *Finding) isLikely() bool { return f.Likelihood() >= Likely }

func (f *Finding) addKind(kind string) {
	if !slices.Contains(f.Kinds, kind) {
		f.Kinds = append(f.Kinds, kind)
	}
}

// Line returns the line of strata.yaml for the most likely case.
func (f *Finding) Line() string {
	name := NameOf(f.Property)
	if f.IsChange() {
		return name + ": {" + f.Candidates[0].Change + "}"
	}
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

// NameOf spells the name of a property, or the path of one that moves, as a key in strata.yaml.
func NameOf(property string) string {
	if strings.Contains(property, ".") && isPlainPath(property) {
		return property
	}
	return plaintext.YAML(property)
}

// Below returns the path in strata.yaml below which the line belongs.
func (f *Finding) Below() string {
	return diag.Key(diag.Key(diag.Key("resources", f.Group), f.Version), f.Type)
}

// isPlainPath reports whether a path of names needs no quotes in YAML.
func isPlainPath(path string) bool {
	for name := range strings.SplitSeq(path, ".") {
		if plaintext.YAML(name) != name {
			return false
		}
	}
	return true
}

// Options of a search.
type Options struct {
	// About reports which resource types matter.
	About func(resourceType string) bool
	// Made reports whether functions convert a property of a type since a version. No change is
	// proposed for it.
	Made func(resourceType, version, typ, property string) bool
	// Known reports whether a property of a type was generated before. No change is proposed between
	// two versions that were, because stored objects would read otherwise.
	Known func(resourceType, version, typ, property string) bool
}

// Find returns the properties without an entry in the metadata that a version has and the next one
// on the main line does not, although it has the object that contains them. It also returns those
// that change in a way that the metadata can declare. The most likely renames and changes come
// first. For properties of leaves only, the first leaf counts. For properties of statuses only, a
// finding needs a likely rename or change. The result is incomplete once the context has ended.
func Find(ctx context.Context, c *chain.Chain, m Metadata, opts Options) []*Finding {
	s := &search{
		Options: opts, assessed: entries{}, converted: entries{}, found: map[key]*Finding{}, observed: map[*Finding]bool{},
		laterTypes: map[*Finding][]string{}, spots: map[key][]spot{},
	}
	for _, n := range m.Removals {
		s.assessed.add(n.Group, n.Version, n.Type, n.Property)
	}
	for _, n := range m.Conversions {
		if n.Property != "" {
			s.converted.add(n.Group, n.Version, n.Type, n.Property)
		}
	}
	for _, n := range m.Renames {
		if n.In != "" {
			s.assessed.add(n.Group, n.Version, n.Type, n.Property)
		}
	}
	for _, g := range c.Groups {
		for _, r := range g.Resources {
			if ctx.Err() == nil && s.About(r.Model.Type) {
				s.resource(ctx, r)
			}
		}
	}
	for _, f := range s.all {
		f.rank()
	}
	slices.SortStableFunc(s.all, likelier)
	assignNames(s.all)
	s.choose()
	slices.SortStableFunc(s.all, likelier)
	return slices.DeleteFunc(s.all, func(f *Finding) bool { return s.observed[f] && !f.isLikely() })
}

func likelier(a, b *Finding) int { return cmp.Compare(b.Likelihood(), a.Likelihood()) }

// assignNames assigns every new name to the property that most likely has it.
func assignNames(ranked []*Finding) {
	taken := map[key]bool{}
	for _, f := range ranked {
		if f.IsChange() {
			continue
		}
		of := func(name string) key { return key{f.Group, f.Version, f.Type, name} }
		f.Candidates = slices.DeleteFunc(f.Candidates, func(c Candidate) bool { return taken[of(c.Name)] })
		if f.IsRename() {
			taken[of(f.Candidates[0].Name)] = true
		}
	}
}

type search struct {
	Options
	assessed   entries
	converted  entries // properties with a mode
	found      map[key]*Finding
	observed   map[*Finding]bool     // in statuses only
	laterTypes map[*Finding][]string // names of the object's type in the next version
	all        []*Finding
	moved      []*move
	spots      map[key][]spot // by type
	basesOf    *chain.Resource
	allBases   []*chain.Place
}

// bases returns the bases of a resource. It remembers those of the last one.
func (s *search) bases(r *chain.Resource) []*chain.Place {
	if s.basesOf != r {
		s.basesOf, s.allBases = r, bases(r)
	}
	return s.allBases
}

// spotsOf returns where the resources of a group have objects of a type in a version.
func (s *search) spotsOf(g *chain.Group, version, typ string) []spot {
	k := key{g.Folder, version, typ, ""}
	all, known := s.spots[k]
	if !known {
		all = spots(g, version, typ)
		s.spots[k] = all
	}
	return all
}

// isMade reports whether a function converts a property.
func (s *search) isMade(o spot, p *model.Property) bool {
	return s.Made != nil && s.Made(o.place.Resource.Model.Type, o.version.Model.Name, o.def().Name, p.Name)
}

// changedIn returns the version that a change between o and next must name, empty for none, and
// false if no change can be declared: objects of versions before and after it were generated
// without it. Earlier is the lineage of the property until o's version, and later the one after it.
// A change to a preview names it. So does one to a stable version, if previews before that were
// generated: they keep their own values.
func (s *search) changedIn(o spot, earlier, later *chain.Lineage, next *chain.Version) (in string, ok bool) {
	i := o.version.Index
	isKnown := func(in func(*chain.Version) bool) bool { return s.Known != nil && s.isKnown(later, in) }
	isEarlierKnown := s.Known != nil && s.isKnown(earlier, func(v *chain.Version) bool { return v.Index <= i })
	isBetween := func(v *chain.Version) bool { return v.Leaf && v.Index > i && v.Index < next.Index }
	switch {
	case next.Leaf:
		in = next.Model.Name
	case isEarlierKnown && !o.version.Leaf && isKnown(isBetween):
		in = next.Model.Name
	}
	isLate := func(v *chain.Version) bool { return v.Index > i && (in == "" || next.Leaf || !isBetween(v)) }
	return in, !isEarlierKnown || !isKnown(isLate)
}

// declared spells a change that names a version, unless that is empty.
func declared(o operation.Operation, in string) string {
	return chain.Change{Operation: o, In: in}.String()
}

func (s *search) isKnown(l *chain.Lineage, in func(*chain.Version) bool) bool {
	r := l.Place.Resource
	return slices.ContainsFunc(r.Versions, func(v *chain.Version) bool {
		return in(v) && l.Live[v.Index] != nil && s.Known(r.Model.Type, v.Model.Name, l.Place.Defs[v.Index].Name, l.Live[v.Index].Name)
	})
}

func (s *search) resource(ctx context.Context, r *chain.Resource) {
	paths := r.Paths()
	for _, v := range r.Versions {
		next := r.NextMain(v)
		if ctx.Err() != nil {
			return
		}
		if next == nil {
			s.previews(r, v, paths)
			continue
		}
		for _, p := range r.Places() {
			if p.Defs[v.Index] != nil && p.Defs[next.Index] != nil {
				s.inspect(spot{p, v}, next, paths)
				s.stay(spot{p, v}, next, paths)
			}
		}
		if !v.Leaf {
			s.moves(r, v, next, paths)
		}
	}
}

// previews adds the changes between the last version of the main line and the previews after it.
func (s *search) previews(r *chain.Resource, v *chain.Version, paths map[*chain.Place]string) {
	if v.Leaf {
		return
	}
	for _, leaf := range r.Versions[v.Index+1:] {
		for _, p := range r.Places() {
			if p.Defs[v.Index] != nil && p.Defs[leaf.Index] != nil {
				s.stay(spot{p, v}, leaf, paths)
			}
		}
		s.moves(r, v, leaf, paths)
	}
}

func (s *search) inspect(o spot, next *chain.Version, paths map[*chain.Place]string) {
	for _, l := range o.place.Lineages {
		if p := l.Live[o.version.Index]; p != nil && o.ends(l, next) && o.place.Mode(o.version.Index, p) != chain.None && !o.place.Resource.Leaves(o.version.Index, o.def(), p) &&
			!o.place.IsStatedApart(o.version, p) {
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
		if l.Live[v.Index] != nil && o.place.Resource.NextMain(v) == next {
			return false
		}
	}
	return true
}

// isAssessed reports whether the metadata has assessed a property, under one of the names of its
// type.
func (s *search) isAssessed(o spot, p *model.Property) bool { return s.assessed.mean(o, p) }

func (s *search) add(o spot, l *chain.Lineage, next *chain.Version, path string) {
	p := l.Live[o.version.Index]
	if s.isAssessed(o, p) {
		return
	}
	f, _ := s.finding(o, p, next, path)
	s.laterTypes[f] = append(s.laterTypes[f], o.place.Defs[next.Index].Name)
	f.Returns = cmp.Or(f.Returns, returns(l, next))
	f.Candidates = append(f.Candidates, s.candidates(o, l, next)...)
	if f.Returns == "" {
		f.Candidates = append(f.Candidates, s.laterCandidates(o, l, next)...)
	}
}

// finding returns the finding about a property of a type, which the object has, and whether it is
// new.
func (s *search) finding(o spot, p *model.Property, next *chain.Version, path string) (f *Finding, isNew bool) {
	r := o.place.Resource
	k := key{r.Group.Folder, o.version.Model.Name, o.def().Name, p.Name}
	f = s.found[k]
	if f == nil {
		f = &Finding{
			Group: r.Group.Folder, Version: o.version.Model.Name, Next: next.Model.Name, Type: o.def().Name, Property: p.Name,
			Path: strings.TrimPrefix(path+"."+p.Name, "."), Candidates: []Candidate{}, Pos: p.Pos,
		}
		s.found[k] = f
		s.all = append(s.all, f)
		s.observed[f], isNew = true, true
	}
	s.observed[f] = s.observed[f] && o.place.Observed
	f.addKind(r.Model.Kind)
	return f, isNew
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
