package explain

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// Property is one property through all versions. Several properties may have had
// one name.
type Property struct {
	// Path is where the property first stood.
	Path string `json:"path"`
	Rows []Row  `json:"versions"`
}

// State says where a value is in a version.
type State string

// The states. Away is in a bag under a key of its own, Within in a bag as a part
// of something else; Nowhere is where no value can be.
const (
	Live    State = "live"
	Away    State = "bag"
	Within  State = "within"
	Nowhere State = "nowhere"
)

// Row is where the property is in one version.
type Row struct {
	Version string `json:"version"` // the vendor's name
	Label   string `json:"label"`
	Hub     bool   `json:"hub,omitzero"`
	Leaf    bool   `json:"leaf,omitzero"`
	State   State  `json:"state"`
	// Path and Type are those of the live property; of one in a bag, Path is that
	// of the object whose bag it is, empty for the root.
	Path     string `json:"path,omitzero"`
	Type     string `json:"type,omitzero"`
	Required bool   `json:"required,omitzero"`
	Secret   bool   `json:"secret,omitzero"`
	Bag      []Bag  `json:"bag,omitzero"`
	// Next is the neighbour towards the hub, Step what the step to it does, and Why.
	Next string `json:"next,omitzero"`
	Step string `json:"step,omitzero"`
	Why  string `json:"why,omitzero"`
}

// Bag is an entry that a bag may have for the property.
type Bag struct {
	Key string `json:"key"`
	// Since is the version whose shape the entry has, and Type that shape. A property
	// of another shape goes by way of a compat package.
	Since string `json:"since"`
	Type  string `json:"type"`
	// Old tells that the entry is read, and written under another key by now.
	Old bool `json:"old,omitzero"`
}

// trail is the way to a property: the lineages from the root down to it.
type trail []*chain.Lineage

func (t trail) last() *chain.Lineage { return t[len(t)-1] }

// explain tells of one property in all versions.
func (t trail) explain(k *plan.Kind) Property {
	var out Property
	for _, kv := range k.Versions {
		row := t.row(kv)
		if out.Path == "" && row.State == Live {
			out.Path = row.Path
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func (t trail) row(kv *plan.KindVersion) Row {
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
	if next := kv.Next(); next != nil {
		row.Next = next.Version.Model.Name
		row.Step, row.Why = t.step(kv, next)
	}
	return row
}

// depth counts the lineages that are live in a version, from the root, as long as
// the objects that they lead to are those of the trail.
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

// path spells the first names of a trail in a version.
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

// steps spells the lists and maps of a property on the way to its objects.
func steps(p *model.Property) string {
	wrap, _ := chain.Unwrap(p.Type)
	if p.Name == chain.AdditionalName {
		wrap = wrap[1:]
	}
	return strings.NewReplacer("l", "[]", "m", ".*").Replace(wrap)
}

// bag lists the entries that the bag of a version's object may have for a lineage
// of the trail, in order of versions: in all shapes but that which is live, and of
// what leads on, those that lead to the property.
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
