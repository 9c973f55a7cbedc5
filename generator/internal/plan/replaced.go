package plan

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
)

// replaced is what goes from bags when a client writes a further member of a storage type. Steps
// know it from [Further]; it is for types from which no step leads, or one that hands everything
// over, as also a fused one may: above all for the hub's.
type replaced struct {
	keys    map[string][]replacedKey // by the names of further members
	foreign map[string]bool          // names of other properties
	unlike  map[string]bool          // names of properties that no further member is
	typed   bool
	wanted  bool
}

// replacedKey is a key, with the kind of its values and what is free in them, as steps have both.
type replacedKey struct{ key, kind, free string }

// mayHide reports whether values of the key have property bags.
func (k replacedKey) mayHide() bool { return strings.HasSuffix(k.kind, "o") }

// replace tells open storage types what their further members replace. A type at several places
// has what all of these have.
func (g *grouper) replace() {
	found := map[*Struct]*replaced{}
	for _, n := range g.all {
		f := g.furthersOf(n.place)
		if n.open() == nil || f == nil {
			continue
		}
		host := g.structs[n.class].Host
		r := found[host]
		if r == nil {
			r = &replaced{keys: map[string][]replacedKey{}, foreign: map[string]bool{}, unlike: map[string]bool{}}
			found[host] = r
		}
		r.add(f, n)
		r.wanted = r.wanted || len(n.links) == 0 || slices.ContainsFunc(n.links, func(l *link) bool { return g.further(l) == nil })
	}
	for host, r := range found {
		if open := host.Open(); open != nil && r.wanted {
			for _, f := range host.Fields {
				delete(r.keys, f.Property.Name) // which is no further member
			}
			open.Replaces = r.spell()
		}
	}
}

func (r *replaced) add(f *furthers, n *node) {
	r.typed = r.typed || f.typed
	for _, name := range f.foreign[n.version.Index] {
		r.foreign[name] = true
	}
	for _, name := range n.place.Unlike() {
		r.unlike[name] = true
	}
	for i, further := range f.named {
		key := replacedKey{further.Key, FurtherKind(further), f.free[i]}
		if keys := r.keys[further.Name]; !slices.Contains(keys, key) {
			r.keys[further.Name] = append(keys, key)
		}
	}
}

// spell writes what the runtime reads: * where $additionalProperties has single members, !name for
// another property, and name(key,key) for one that other versions name, with the kinds of values
// where some are objects.
func (r *replaced) spell() string {
	var items []string
	if !r.typed {
		items = append(items, "*")
	}
	for _, name := range slices.Sorted(maps.Keys(r.foreign)) {
		items = append(items, "!"+word(name))
	}
	for _, name := range slices.Sorted(maps.Keys(r.keys)) {
		if r.foreign[name] || r.unlike[name] || name == chain.AdditionalName {
			continue
		}
		items = append(items, word(name)+"("+strings.Join(spellKeys(r.keys[name]), ",")+")")
	}
	return strings.Join(items, ",")
}

// spellKeys spells the keys of one name. Kinds stand in the order in which steps try them.
func spellKeys(keys []replacedKey) []string {
	var out []string
	if !slices.ContainsFunc(keys, replacedKey.mayHide) {
		for _, k := range keys {
			out = append(out, word(k.key))
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	for _, k := range keys {
		text := word(k.key) + "?" + k.kind
		if k.free != "" {
			text += strconv.Quote(k.free)
		}
		out = append(out, text)
	}
	return out
}
