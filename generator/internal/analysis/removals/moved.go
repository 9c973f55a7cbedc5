package removals

import (
	"math"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// end is a property that only one of two versions has at its path from a base: the root of a spec
// or status, or the elements of a list or map.
type end struct {
	lineage *chain.Lineage
	places  []*chain.Place // the objects around it, from the base
	above   []*chain.Lineage
	path    string // from the base
}

func (e *end) name() string { return e.path[strings.LastIndexByte(e.path, '.')+1:] }

// move is a property that likely moves to another object.
type move struct {
	finding *Finding
	// from and to are the property before and after the move, and the properties that contain them.
	from, to []key
	// below identifies the object of the finding, and source the property in its own type.
	below, source key
}

// maxPath is the largest number of names in a path. strata.yaml refuses longer ones.
const maxPath = 50

// bases returns the objects from which paths of moves begin: those that no other object contains
// directly.
func bases(r *chain.Resource) []*chain.Place {
	within := map[*chain.Place]bool{}
	for _, p := range r.Places() {
		for _, l := range p.Lineages {
			for i, q := range l.Live {
				if q != nil && isObject(q.Type) {
					within[l.Child(i)] = true
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(r.Places()), func(p *chain.Place) bool { return within[p] && p != r.Root && p != r.Status })
}

func isObject(t model.Type) bool {
	ref, is := t.(*model.Ref)
	return is && ref.Def.Map == nil
}

// visits counts how often objects were reached. An object that several paths share has one place.
type visits map[*chain.Place]int

// isOnce reports whether one path alone leads to a property from its base.
func (seen visits) isOnce(e *end) bool {
	return !slices.ContainsFunc(e.places[1:], func(p *chain.Place) bool { return seen[p] > 1 })
}

// ends returns the properties below a base that version i has and version j does not, by their
// names in lower case. It counts the objects that it reaches, and visits each once.
func ends(base *chain.Place, i, j int, seen visits) map[string][]*end {
	type visit struct {
		end
		isGone bool
	}
	out := map[string][]*end{}
	queue := []visit{{end: end{places: []*chain.Place{base}}}}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		p := at.places[len(at.places)-1]
		if seen[p]++; seen[p] > 1 || len(at.places) > maxPath || p.Defs[i] == nil {
			continue
		}
		for _, l := range p.Lineages {
			q := l.Live[i]
			if q == nil || q.Name == chain.AdditionalName || strings.Contains(q.Name, ".") {
				continue
			}
			e := end{l, at.places, at.above, strings.TrimPrefix(at.path+"."+q.Name, ".")}
			isGone := at.isGone || l.Live[j] == nil
			if isGone {
				name := strings.ToLower(q.Name)
				out[name] = append(out[name], &e)
			}
			if child := l.Child(i); isObject(q.Type) && child != nil && (isGone || child == l.Child(j)) {
				below := end{l, append(slices.Clip(at.places), child), append(slices.Clip(at.above), l), e.path}
				queue = append(queue, visit{below, isGone})
			}
		}
	}
	return out
}

// moves adds the properties that are likely to move to another object after a version: the next
// one has one property of the name and type at another path, and the version had no other.
func (s *search) moves(r *chain.Resource, v, next *chain.Version, paths map[*chain.Place]string) {
	goneFrom, newIn := visits{}, visits{}
	declared := map[*chain.Lineage]bool{}
	for _, p := range r.Places() {
		for _, m := range p.Moves(v.Index, next.Index) {
			declared[m.Far[len(m.Far)-1]], declared[m.Near[len(m.Near)-1]] = true, true
		}
	}
	isDeclared := func(e *end) bool {
		return declared[e.lineage] || slices.ContainsFunc(e.above, func(l *chain.Lineage) bool { return declared[l] })
	}
	for _, base := range s.bases(r) {
		if base.Defs[v.Index] == nil || base.Defs[next.Index] == nil {
			continue
		}
		gone, fresh := ends(base, v.Index, next.Index, goneFrom), ends(base, next.Index, v.Index, newIn)
		for _, name := range sortedKeys(gone) {
			if len(gone[name]) != 1 || len(fresh[name]) != 1 {
				continue
			}
			a, b := gone[name][0], fresh[name][0]
			if !goneFrom.isOnce(a) || !newIn.isOnce(b) || isDeclared(a) || isDeclared(b) || s.isEnded(a, v, next) || !isBegun(b, v) {
				continue
			}
			in, isInTime := s.changedIn(spot{a.lineage.Place, v}, a.lineage, b.lineage, next)
			if !isInTime {
				continue
			}
			from, to := whole(a, b, v, next)
			if m, ok := s.move(r, from, to, from != a, v, next, in, paths); ok {
				s.moved = append(s.moved, m)
			}
		}
	}
}

// whole returns the largest objects around two properties that one version has each, and that can
// be one with all of their members. They are in different objects, as the properties are: a new
// name within one object is found otherwise.
func whole(a, b *end, v, next *chain.Version) (from, to *end) {
	up := func(e *end) *end {
		last := len(e.above) - 1
		return &end{e.above[last], e.places[:last+1], e.above[:last], e.path[:strings.LastIndexByte(e.path, '.')]}
	}
	move := operation.Operation{Kind: operation.MovedTo}
	for len(a.above) > 0 && len(b.above) > 0 {
		above, below := up(a), up(b)
		if above.lineage.Place == below.lineage.Place || above.lineage.Live[next.Index] != nil || below.lineage.Live[v.Index] != nil ||
			move.Fits(above.lineage.Live[v.Index].Type, below.lineage.Live[next.Index].Type) != nil {
			break
		}
		a, b = above, below
	}
	return a, b
}

func sortedKeys(m map[string][]*end) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// isEnded reports whether a property, or an object around it, is assessed as removed, takes no part
// in conversions, is converted by hand, or returns later. So is one that has another end elsewhere:
// a move is declared for a type, and ends the property wherever objects of the type are.
func (s *search) isEnded(e *end, v, next *chain.Version) bool {
	for n, l := range append(slices.Clip(e.above), e.lineage) {
		o, p := spot{e.places[n], v}, l.Live[v.Index]
		if s.isDecided(o, p) || returns(l, v) != "" && l.Live[next.Index] == nil {
			return true
		}
	}
	at := spot{e.lineage.Place, v}
	for _, o := range s.spotsOf(at.place.Resource.Group, v.Model.Name, at.def().Name) {
		later := next
		if o.place.Resource != at.place.Resource {
			later = o.next()
		}
		if l := o.find(e.name()); l != nil && later != nil && l.Live[later.Index] != nil {
			return true
		}
	}
	return false
}

// isBegun reports whether no earlier version of the main line has a property.
func isBegun(e *end, v *chain.Version) bool {
	for _, w := range e.lineage.Place.Resource.Versions[:v.Index+1] {
		if !w.Leaf && e.lineage.Live[w.Index] != nil {
			return false
		}
	}
	return true
}

// move returns the move from one path to another, if it is likely and can be declared. hasMembers
// reports whether the properties were found by a member that both have.
func (s *search) move(r *chain.Resource, a, b *end, hasMembers bool, v, next *chain.Version, in string, paths map[*chain.Place]string) (*move, bool) {
	n := 0
	for n+1 < min(len(a.places), len(b.places)) && a.places[n+1] == b.places[n+1] {
		n++
	}
	common := a.places[n]
	names := common.Names(v.Index)
	if len(names) == 0 || common.Defs[next.Index] == nil {
		return nil, false
	}
	below := func(path string) string { return strings.Join(strings.Split(path, ".")[n:], ".") }
	o := operation.Operation{Kind: operation.MovedTo, From: below(a.path), To: below(b.path)}
	likelihood, why := likelyMoved(a.lineage.Live[v.Index], b.lineage.Live[next.Index])
	if hasMembers && likelihood < 0.9 {
		likelihood, why = 0.9, []string{"all members are the same, and at no other path"}
	}
	about := subject{group: r.Group.Folder, version: v.Model.Name, typ: names[0]}
	if o.From == o.To || likelihood < Likely || about.moveAt(spot{common, v}, next, o) != nil {
		return nil, false
	}
	f := &Finding{
		Group: r.Group.Folder, Version: v.Model.Name, Next: next.Model.Name, Type: names[0], Property: o.From, Kinds: []string{r.Model.Kind},
		Path: strings.TrimPrefix(paths[common]+"."+o.From, "."), Pos: a.lineage.Live[v.Index].Pos,
		Candidates: []Candidate{{Name: o.To, Change: declared(o, in), Likelihood: likelihood, Why: why, isChange: true}},
	}
	keys := func(e *end, v *chain.Version) (out []key) {
		for n, l := range append(slices.Clip(e.above), e.lineage) {
			out = append(out, key{r.Group.Folder, v.Model.Name, e.places[n].Defs[v.Index].Name, l.Live[v.Index].Name})
		}
		return out
	}
	m := &move{finding: f, from: keys(a, v), to: keys(b, next), below: key{f.Group, f.Version, names[len(names)-1], ""}}
	m.source = m.from[len(m.from)-1]
	return m, true
}

// general are names that many objects have, with a meaning that depends on the object.
var general = []string{
	"name", "id", "type", "kind", "key", "value", "values", "enabled", "disabled", "status", "state", "version", "mode", "description", "location",
	"tags", "properties", "labels", "annotations", "spec", "data", "items", "message", "reason", model.Conditions, "uri", "url", "path", "port", "protocol",
	"size", "count", "namespace", "group", "resourceid", "displayname", "identity", "sku", "config", "settings", "options", "metadata", "parameters",
	"phase", "ready", "username", "password", "host", "hostname", "address", "image", "timeout", "provisioningstate", "apiversion", "tier", "plan",
}

// likelyMoved returns how likely two properties of one name and type in different objects are one.
func likelyMoved(old, later *model.Property) (likelihood float64, why []string) {
	why = []string{"same name and type"}
	isGeneral := slices.Contains(general, strings.ToLower(old.Name))
	if old.Doc == "" || later.Doc == "" {
		if isGeneral {
			return 0, nil
		}
		return 0.7, append(why, "at no other path")
	}
	doc := likeDocs(old.Doc, later.Doc)
	if doc < 0.75 || isGeneral && doc < 0.9 {
		return 0, nil
	}
	return math.Round((0.6+0.4*doc)*100) / 100, append(why, "at no other path", docReason(doc))
}

// choose adds the moves that contradict no rename and no other move, and removes the findings
// about properties that move.
func (s *search) choose() {
	renamed, targets := map[key]bool{}, map[key]bool{}
	for _, f := range s.all {
		if f.IsRename() {
			renamed[key{f.Group, f.Version, f.Type, f.Property}] = true
			for _, typ := range s.laterTypes[f] {
				targets[key{f.Group, f.Next, typ, f.Candidates[0].Name}] = true
			}
		}
	}
	is := func(set map[key]bool) func(key) bool { return func(k key) bool { return set[k] } }
	slices.SortStableFunc(s.moved, func(a, b *move) int { return likelier(a.finding, b.finding) })
	byType := map[key][]*move{}
	for _, m := range s.moved {
		if slices.ContainsFunc(m.from, is(renamed)) || slices.ContainsFunc(m.to, is(targets)) {
			continue
		}
		if i := slices.IndexFunc(byType[m.below], m.meets); i >= 0 {
			if same := byType[m.below][i].finding; same.Property == m.finding.Property && same.Line() == m.finding.Line() {
				same.addKind(m.finding.Kinds[0])
			}
			continue
		}
		byType[m.below] = append(byType[m.below], m)
		s.all = append(s.all, m.finding)
		if f := s.found[m.source]; f != nil {
			s.all = slices.DeleteFunc(s.all, func(one *Finding) bool { return one == f })
		}
	}
}

// meets reports whether two moves of one type have a path in common, or one within the other.
func (m *move) meets(other *move) bool {
	within := func(a, b string) bool {
		a, b = strings.ToLower(a)+".", strings.ToLower(b)+"."
		return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
	}
	f, g := m.finding, other.finding
	return within(f.Property, g.Property) || within(f.Candidates[0].Name, g.Candidates[0].Name)
}
