package explorer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// New makes the history of a group.
func New(g *plan.Group) *History {
	out := &History{Group: g.Chain.Name, Folder: g.Chain.Folder}
	for _, k := range g.Kinds {
		out.Kinds = append(out.Kinds, newKind(k))
	}
	return out
}

func newKind(k *plan.Kind) *Kind {
	r := k.Resource
	out := &Kind{Name: k.Name, Plural: r.Model.Plural, Resource: r.Model.Type}
	for _, kv := range k.Versions {
		out.Versions = append(out.Versions, newVersion(kv))
	}
	b := builder{kind: k, versions: out.Versions, numbers: map[*chain.Place]int{}, paths: r.Paths()}
	for i, p := range r.Places() {
		b.numbers[p] = i
	}
	b.moves()
	for _, p := range r.Places() {
		out.Objects = append(out.Objects, b.object(p))
	}
	out.Status = b.numbers[r.Status]
	return out
}

func newVersion(kv *plan.KindVersion) Version {
	v := kv.Version
	out := Version{
		Name: v.Model.Name, Label: v.Label, Doc: kv.Doc(), Next: v.Index, Before: -1,
		AtRoot: v.Model.AtRoot, Leaf: v.Leaf, Pruned: v.Pruned, Warning: kv.Warning(), ByHand: byHand(kv),
	}
	if v.Next != nil {
		out.Next = v.Next.Index
	}
	if v.Leaf {
		out.Before = out.Next
		return out
	}
	for _, o := range kv.Kind.Resource.Versions[:v.Index] {
		if !o.Leaf {
			out.Before = o.Index
		}
	}
	return out
}

// builder makes the objects of one kind.
type builder struct {
	kind     *plan.Kind
	versions []Version
	numbers  map[*chain.Place]int
	paths    map[*chain.Place]string
	declared map[*chain.Lineage][]declared
}

// declared is a declared change of a property. Names are the other path of a move, from its place.
type declared struct {
	version int
	text    string
	place   *chain.Place
	other   []*chain.Lineage
}

// moves collects the declared changes of all properties.
func (b *builder) moves() {
	b.declared = map[*chain.Lineage][]declared{}
	for _, p := range b.kind.Resource.Places() {
		for i, v := range b.versions {
			if v.Next == i {
				continue
			}
			for _, l := range p.Lineages {
				for _, o := range l.Changes(i, v.Next) {
					b.declared[l] = append(b.declared[l], declared{version: i, text: o.String()})
				}
			}
			for _, m := range p.Moves(i, v.Next) {
				far, near := m.Far[len(m.Far)-1], m.Near[len(m.Near)-1]
				b.declared[far] = append(b.declared[far], declared{i, m.Operation.String(), p, m.Near})
				b.declared[near] = append(b.declared[near], declared{i, m.Operation.String(), p, m.Far})
			}
		}
	}
}

// path returns the other path of a move in a version; empty if the version does not have it.
func (b *builder) path(d declared, version int) string {
	path := b.paths[d.place]
	for n, l := range d.other {
		p := l.Live[version]
		if p == nil {
			return ""
		}
		path = strings.TrimPrefix(path+"."+p.Name, ".")
		if n < len(d.other)-1 {
			wrap, _ := chain.Unwrap(p.Type)
			path += wraps.Replace(wrap)
		}
	}
	return starred.Replace(path)
}

// starred writes additional members, and the map of them, as a star.
var starred = strings.NewReplacer(chain.AdditionalName+".*", "*", chain.AdditionalName, "*")

// wraps makes path steps of the lists and maps around an object.
var wraps = strings.NewReplacer("l", "[]", "m", ".*")

func (b *builder) object(p *chain.Place) *Object {
	out := &Object{Path: starred.Replace(b.paths[p])}
	taken := map[string]bool{}
	for _, l := range p.Lineages {
		made := &Property{ID: b.id(l, taken)}
		for i := range b.versions {
			made.Cells = append(made.Cells, b.cell(p, l, i))
		}
		for _, d := range b.declared[l] {
			other := ""
			for _, i := range []int{d.version, b.versions[d.version].Next} {
				if other == "" && d.other != nil {
					other = b.path(d, i)
				}
			}
			made.Declared = append(made.Declared, Declared{d.version, d.text, other})
		}
		out.Properties = append(out.Properties, made)
	}
	return out
}

// id names a property. If another one has its first name, its first version follows, and then a
// number.
func (b *builder) id(l *chain.Lineage, taken map[string]bool) string {
	name := l.Name()
	if name == chain.AdditionalName {
		name = "*"
	}
	id := name
	if taken[id] {
		id += "@" + b.versions[slices.IndexFunc(l.Live, func(p *model.Property) bool { return p != nil })].Label
	}
	for n := 2; taken[id]; n++ {
		id = name + "@" + strconv.Itoa(n)
	}
	taken[id] = true
	return id
}

func nameOf(p *model.Property) string {
	if p.Name == chain.AdditionalName {
		return "*"
	}
	return p.Name
}

func (b *builder) cell(p *chain.Place, l *chain.Lineage, i int) Cell {
	before := b.versions[i].Before
	if l.Live[i] == nil {
		out := Cell{State: Absent, Dropped: before >= 0 && l.Live[before] != nil}
		for _, d := range b.declared[l] {
			if d.other != nil && out.Moved == "" {
				out.Moved = b.path(d, i)
			}
		}
		if p.Defs[i] == nil {
			return out
		}
		if out.State, out.Keys = Nowhere, b.keys(l, i); len(out.Keys) > 0 {
			out.State = Bag
		}
		return out
	}
	q := l.Live[i]
	out := Cell{
		State: Added, Name: nameOf(q), Type: typeOf(q.Type), Doc: q.Documentation(), Default: q.Default,
		Required: q.Required, ReadOnly: q.ReadOnly, Secret: q.Secret, Outdated: q.Deprecated != "", Keys: b.keys(l, i),
	}
	if child := l.Child(i); child != nil {
		out.Child = b.numbers[child]
	}
	if before < 0 {
		out.State = Lone
		return out
	}
	for state := Same; before >= 0; before, state = b.versions[before].Before, Back {
		if l.Live[before] == nil {
			continue
		}
		out.State = state
		if was := nameOf(l.Live[before]); was != out.Name {
			out.Was = was
		}
		out.Converted = !l.Transfers(before, i)
		if was := diff.TypeText(l.Live[before].Type); out.Converted && was != out.Type.Text {
			out.WasType = was
		}
		if state == Same && (out.Was != "" || out.Converted) {
			out.State = Changed
		}
		break
	}
	return out
}

// keys returns the entries that the bag of a version's object may have for a property, without
// those of the property's own shape.
func (b *builder) keys(l *chain.Lineage, i int) []Key {
	var out []Key
	seen := map[*chain.Key]bool{nil: true}
	if l.Live[i] != nil {
		seen[l.Key(i)] = true
	}
	for j, p := range l.Live {
		if p == nil || seen[l.Key(j)] {
			continue
		}
		k := l.Key(j)
		seen[k] = true
		for n, e := range k.Entries {
			out = append(out, Key{e.Name, e.Holder.Index, diff.TypeText(l.Live[e.Holder.Index].Type), n > 0})
		}
	}
	return out
}

func typeOf(t model.Type) Type {
	wrap, inner := chain.Unwrap(t)
	out := Type{Text: diff.TypeText(t), Wrap: wrap}
	switch u := inner.(type) {
	case *model.Scalar:
		out.Leaf = leaves[u.Kind]
	case *model.Enum:
		out.Values, out.Leaf = u.Values, leaves[u.Base]
		if len(u.Values) > 0 {
			out.Leaf = u.Values[0]
		}
	case *model.Ref:
		if u.Def.Map != nil {
			out.Leaf = "{}"
		}
	case *model.Any:
		out.Leaf = "{}"
	}
	return out
}

// leaves are examples of scalars.
var leaves = [...]string{model.String: `"string"`, model.Int: "1", model.Number: "1", model.Bool: "true"}
