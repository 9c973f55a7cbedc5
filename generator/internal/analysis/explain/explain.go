package explain

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// Property is one property in all versions. Several properties may have had the same name.
type Property struct {
	// Path is the first path of the property.
	Path string `json:"path"`
	Rows []Row  `json:"versions"`
}

// State is where a value is in a version.
type State string

// The states. Away means in a bag under its own key, Within in a bag as a part of another value,
// and Nowhere that no value is possible.
const (
	Live    State = "live"
	Away    State = "bag"
	Within  State = "within"
	Nowhere State = "nowhere"
)

// Row describes the property in one version.
type Row struct {
	Version string `json:"version"` // the vendor's name
	Label   string `json:"label"`
	Hub     bool   `json:"hub,omitzero"`
	Leaf    bool   `json:"leaf,omitzero"`
	State   State  `json:"state"`
	// Path and Type are those of the live property. For one in a bag, Path is that of the object
	// with the bag; empty for the root.
	Path     string `json:"path,omitzero"`
	Type     string `json:"type,omitzero"`
	Required bool   `json:"required,omitzero"`
	Secret   bool   `json:"secret,omitzero"`
	Bag      []Bag  `json:"bag,omitzero"`
	// Moved is the path of the property that has the value in this version, if a declared change
	// moves the value to another object. The bag then has the value as it was.
	Moved string `json:"moved,omitzero"`
	// Next is the neighbouring version towards the hub, Step the action of the step to it, and Why
	// the reason.
	Next string `json:"next,omitzero"`
	Step string `json:"step,omitzero"`
	Why  string `json:"why,omitzero"`
	// Declared is the change that metadata declares for the property in this step, in its direction.
	Declared string `json:"declared,omitzero"`
}

// Bag is an entry that a bag may have for the property.
type Bag struct {
	Key string `json:"key"`
	// Since is the version whose shape the entry has, and Type is that shape. A property of another
	// shape is converted through a compat package.
	Since string `json:"since"`
	Type  string `json:"type"`
	// Old reports that the entry is read only; it is now written under another key.
	Old bool `json:"old,omitzero"`
}

// trail is the path to a property: the lineages from the root down to it.
type trail []*chain.Lineage

func (t trail) last() *chain.Lineage { return t[len(t)-1] }

// explain describes the property in all versions.
func (t trail) explain(k *plan.Kind) Property {
	var out Property
	moved := t.moved(k)
	for _, kv := range k.Versions {
		row := t.row(kv, moved)
		if out.Path == "" && row.State == Live {
			out.Path = row.Path
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func (t trail) row(kv *plan.KindVersion, moved []moved) Row {
	i := kv.Version.Index
	row := Row{Version: kv.Version.Model.Name, Label: kv.Version.Label, Hub: kv.Next() == nil, Leaf: kv.Version.Leaf}
	depth := t.depth(i)
	switch {
	case depth == len(t):
		p := t.last().Live[i]
		row.State, row.Path, row.Type, row.Required, row.Secret = Live, t.path(i, depth), diff.TypeText(p.Type), p.Required, p.Secret
	default:
		row.Path, row.Bag = t.path(i, depth), t.bag(i, depth)
		row.State = Away
		if depth < len(t)-1 {
			row.State = Within
		}
		if len(row.Bag) == 0 {
			row.State, row.Path = Nowhere, ""
		}
	}
	for _, m := range moved {
		if row.State != Live && row.Moved == "" {
			row.Moved = m.path(t, i)
		}
	}
	if next := kv.Next(); next != nil {
		row.Next = next.Version.Model.Name
		row.Step, row.Why = t.step(kv, next)
		row.Declared = t.declared(i, next.Version.Index, moved)
	}
	return row
}

// depth returns the number of lineages that are live in a version, from the root, as long as the
// objects that they contain are those of the trail.
func (t trail) depth(i int) int {
	for n, l := range t {
		if l.Live[i] == nil {
			return n
		}
		if n+1 < len(t) && l.Child(i) != t[n+1].Place {
			return n
		}
	}
	return len(t)
}

// path returns the first names of a trail in a version.
func (t trail) path(i, depth int) string {
	path := ""
	if t.inStatus() {
		path = "status"
	}
	for n, l := range t[:depth] {
		p := l.Live[i]
		path = strings.TrimPrefix(path+"."+name(p), ".")
		if n < len(t)-1 {
			path += steps(p)
		}
	}
	return path
}

func name(p *model.Property) string {
	if p.Name == chain.AdditionalName {
		return "*"
	}
	return p.Name
}

// steps returns the path steps of the lists and maps between a property and its objects.
func steps(p *model.Property) string {
	wrap, _ := chain.Unwrap(p.Type)
	if p.Name == chain.AdditionalName {
		wrap = wrap[1:]
	}
	return strings.NewReplacer("l", "[]", "m", ".*").Replace(wrap)
}

// bag returns the entries that the bag of a version's object may have for a lineage of the trail,
// in order of versions. It has all shapes except the live one. For lineages above the property, it
// has those that lead to the property.
func (t trail) bag(i, depth int) []Bag {
	var out []Bag
	l := t[depth]
	seen := map[*chain.Key]bool{}
	if l.Live[i] != nil {
		seen[l.Key(i)] = true
	}
	for j, p := range l.Live {
		if p == nil || depth+1 < len(t) && l.Child(j) != t[depth+1].Place {
			continue
		}
		k := l.Key(j)
		if k == nil || seen[k] {
			continue
		}
		seen[k] = true
		for n, e := range k.Entries {
			typ := diff.TypeText(l.Live[e.Holder.Index].Type)
			out = append(out, Bag{Key: e.Name, Since: e.Holder.Model.Name, Type: typ, Old: n > 0})
		}
	}
	return out
}
