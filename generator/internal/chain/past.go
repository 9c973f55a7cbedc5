package chain

import (
	"fmt"
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
)

// spot is an object in one version, as the ledger distinguishes objects. Each path with rows or
// joins leads to a spot of its own. All other objects of a definition are one spot. A nil spot is
// an object that the ledger does not have.
type spot struct {
	def    *model.Def // in the ledger's model; nil if that has no object
	path   []string
	named  bool // it has rows or joins; path leads to it alone
	parent *spot
	keys   []KeyRow
	names  []LineageRow
	below  map[string]*spot    // by property
	byName map[string][]string // names of keys, by property
	class  int                 // equal for equal rows, here and below; 0 for none

	members    map[string]bool     // the properties whose lineages have names
	byProperty map[string][]string // names of lineages, by property, for properties with rows
}

// child returns the object that a property leads to; nil if the ledger has none.
func (s *spot) child(property string) *spot {
	if s == nil {
		return nil
	}
	return s.below[property]
}

// isGiven reports whether the spot, or one below it, has rows.
func (s *spot) isGiven() bool { return s != nil && s.class != 0 }

// past contains the ledger's spots for the roots of each version of a resource.
type past struct {
	specs, statuses []*spot
	named           map[string][2][]*spot // by version: spots with rows, in spec and status
	plain           map[string]*spot      // by version and definition: a spot without rows
	isPartial       bool                  // the ledger has versions whose lineages are not recorded
}

// plainly returns a definition's spot without rows in a version. It serves for objects of
// properties that are new in a version that the ledger has.
func (p *past) plainly(v *Version, status bool, d *model.Def) *spot {
	return p.plain[plainKey(v.Model.Name, status, d.Name)]
}

func plainKey(version string, status bool, def string) string {
	return fmt.Sprintf("%t %q %q", status, version, def)
}

// past makes the past of a resource from its record.
func (l *linker) past(r *Resource) *past {
	out := &past{specs: make([]*spot, len(r.Versions)), statuses: make([]*spot, len(r.Versions)), named: map[string][2][]*spot{}, plain: map[string]*spot{}}
	if r.record == nil {
		return out
	}
	out.isPartial = r.record.isUnnamed() || !r.record.namesAll()
	known := r.Model
	if r.record.Model != nil {
		known = r.record.Model
	}
	trees := map[string]*pastVersion{}
	for _, v := range r.Versions {
		if m := known.Version(v.Model.Name); m != nil {
			trees[v.Model.Name] = newPastVersion(m, r.record)
		}
	}
	for seq, row := range r.record.Keys {
		row.seq = seq
		t := trees[row.Version]
		if t == nil {
			l.problem(model.Pos{}, "restore the ledger from version control", "the ledger has a bag key of %s in version %q, which it does not hold", r.Model.Type, row.Version)
			continue
		}
		s := t.tree(row.Status).at(row.Path)
		s.keys = append(s.keys, row)
	}
	for _, row := range r.record.Lineages {
		if t := trees[row.Version]; t != nil {
			s := t.tree(row.Status).at(row.Path)
			s.names = append(s.names, row)
		}
	}
	for _, j := range r.record.Joins {
		if t := trees[j.Version]; t != nil {
			t.tree(j.Status).join(j)
		}
	}
	for _, v := range r.Versions {
		if t := trees[v.Model.Name]; t != nil {
			for i, spots := range t.close() {
				for _, s := range spots {
					if s.def != nil && !s.isGiven() {
						out.plain[plainKey(v.Model.Name, i == 1, s.def.Name)] = s
					}
				}
			}
			out.specs[v.Index], out.statuses[v.Index] = t.spec.named[0], t.status.named[0]
			l.checkLineages(r, v, t)
			out.named[v.Model.Name] = [2][]*spot{t.spec.named, t.status.named}
		}
	}
	return out
}

// pastVersion contains the ledger's rows of one version.
type pastVersion struct{ spec, status *pastTree }

func newPastVersion(v *model.Version, of *Record) *pastVersion {
	status := v.Status
	if status == nil {
		status = v.Spec
	}
	named := of.names(v.Name)
	return &pastVersion{newPastTree(v.Spec, of, named), newPastTree(status, of, named)}
}

func (v *pastVersion) tree(status bool) *pastTree {
	if status {
		return v.status
	}
	return v.spec
}

// close finds the objects that all properties lead to, and groups spots into classes. It returns
// the spots of the spec and those of the status.
func (v *pastVersion) close() [2][]*spot {
	specs, statuses := v.spec.close(), v.status.close()
	all := slices.Concat(specs, statuses)
	number := make(map[*spot]int, len(all))
	for i, s := range all {
		number[s] = i
	}
	kinds := newSorter(len(all))
	for i, s := range all {
		kinds.own[i] = rows{s.keys, s.names}.text()
		for _, name := range objectsIn(s.def) {
			if c := s.below[name]; c != nil {
				kinds.below[i] = append(kinds.below[i], toward{name, number[c]})
			}
		}
	}
	for i, class := range kinds.classes() {
		all[i].class = class
	}
	return [2][]*spot{specs, statuses}
}

// text formats the row without its object's path.
func (k KeyRow) text() string { return fmt.Sprintf("%q=%q%q;", k.Property, k.Name, k.Compat) }

// text formats the row without its object's path.
func (n LineageRow) text() string { return fmt.Sprintf("%q in %q;", n.Property, n.Name) }

// pastTree contains the ledger's rows below the spec or the status of a version.
type pastTree struct {
	everyPath bool
	unnamed   bool    // nothing is known of lineages without rows
	named     []*spot // the root first, then in the order of the ledger
	byPath    map[string]*spot
	joins     map[*spot]map[string]*spot
	members   map[*model.Def]map[string]bool // the names of properties
}

func newPastTree(root model.Type, of *Record, named bool) *pastTree {
	s := &spot{named: true}
	if ref, ok := root.(*model.Ref); ok {
		s.def = ref.Def
	}
	return &pastTree{
		everyPath: of.EveryPath, unnamed: !named, named: []*spot{s}, byPath: map[string]*spot{"": s},
		joins: map[*spot]map[string]*spot{}, members: map[*model.Def]map[string]bool{},
	}
}

// at returns the spot of a path, and makes it if necessary. In ledgers of the first format, every
// object on the path has a spot of its own.
func (t *pastTree) at(path []string) *spot {
	if s := t.byPath[spell(path)]; s != nil {
		return s
	}
	s := &spot{named: true, path: path}
	if last := len(path) - 1; t.everyPath {
		s.parent = t.at(path[:last:last])
		s.def = objectAt(s.parent.def, path[last])
	} else {
		s.def = t.named[0].def
		for _, name := range path {
			s.def = objectAt(s.def, name)
		}
	}
	t.byPath[spell(path)] = s
	t.named = append(t.named, s)
	return s
}

// spell formats a path as a text, for use as a map key.
func spell(path []string) string {
	var out []byte
	for _, name := range path {
		out = model.AppendQuote(out, name)
	}
	return string(out)
}

func (t *pastTree) join(j Join) {
	from, to := t.at(j.Path), t.at(j.To)
	if t.joins[from] == nil {
		t.joins[from] = map[string]*spot{}
	}
	t.joins[from][j.Property] = to
}

// close finds the objects that the properties of all spots lead to, and returns all spots.
func (t *pastTree) close() []*spot {
	all := slices.Clone(t.named)
	homes := map[*model.Def]*spot{}
	for _, s := range all {
		if homes[s.def] == nil {
			homes[s.def] = s
		}
	}
	for i := 0; i < len(all); i++ {
		s := all[i]
		s.below, s.byName, s.byProperty = map[string]*spot{}, map[string][]string{}, map[string][]string{}
		for _, k := range s.keys {
			s.byName[k.Property] = append(s.byName[k.Property], k.Name)
		}
		for _, n := range s.names {
			s.byProperty[n.Property] = append(s.byProperty[n.Property], n.Name)
		}
		s.members = t.membersOf(s.def)
		for _, name := range objectsIn(s.def) {
			c := t.leads(s, name)
			if c == nil && !t.everyPath {
				d := objectAt(s.def, name)
				if c = homes[d]; c == nil {
					c = &spot{def: d}
					homes[d] = c
					all = append(all, c)
				}
			}
			s.below[name] = c
		}
	}
	return all
}

// membersOf returns the names of a definition's properties whose lineages have names.
func (t *pastTree) membersOf(d *model.Def) map[string]bool {
	if t.unnamed || d == nil || d.Object() == nil {
		return nil
	}
	out := t.members[d]
	if out == nil {
		out = map[string]bool{}
		for _, p := range members(d.Object()) {
			out[p.Name] = true
		}
		t.members[d] = out
	}
	return out
}

// leads returns the object that a property leads to according to rows and joins; nil if these do
// not determine it. In the first format, rows end where a path returns to an object that contains
// it.
func (t *pastTree) leads(s *spot, name string) *spot {
	if !s.named {
		return nil
	}
	if c := t.byPath[spell(s.path)+string(model.AppendQuote(nil, name))]; c != nil {
		return c
	}
	if c := t.joins[s][name]; c != nil || !t.everyPath {
		return c
	}
	d := objectAt(s.def, name)
	for ; s != nil && s.def != d; s = s.parent {
	}
	return s
}

// objectAt returns the definition of the objects that a property leads to; nil if there are none.
func objectAt(d *model.Def, property string) *model.Def {
	if d == nil || d.Object() == nil {
		return nil
	}
	o := d.Object()
	var t model.Type
	if p := o.Property(property); p != nil {
		t = p.Type
	} else if property == AdditionalName && o.Additional != nil {
		t = o.Additional
	}
	return objectOf(t)
}

// objectOf returns the definition of the objects in a type; nil if there are none.
func objectOf(t model.Type) *model.Def {
	if _, inner := Unwrap(t); inner != nil {
		if ref, ok := inner.(*model.Ref); ok {
			return ref.Def
		}
	}
	return nil
}

// objectsIn lists the properties of a definition that lead to objects.
func objectsIn(d *model.Def) []string {
	if d == nil || d.Object() == nil {
		return nil
	}
	var out []string
	for _, p := range members(d.Object()) {
		if objectOf(p.Type) != nil {
			out = append(out, p.Name)
		}
	}
	return out
}
