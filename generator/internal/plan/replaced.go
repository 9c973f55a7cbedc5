package plan

import (
	"maps"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
)

// replaced is what goes from bags when a client writes a further member of a storage type. Steps know it from [Further]; it
// is for types from which no step leads, or one that hands everything over, as also a fused one may: above all for the hub's.
type replaced struct {
	keys    map[string]map[string]bool // by the names of further members
	foreign map[string]bool            // names of other properties
	unlike  map[string]bool            // names of properties that no further member is
	typed   bool
	wanted  bool
}

// replace tells open storage types what their further members replace. A type at several places has what all of these have.
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
			r = &replaced{keys: map[string]map[string]bool{}, foreign: map[string]bool{}, unlike: map[string]bool{}}
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
	for _, further := range f.named {
		if r.keys[further.Name] == nil {
			r.keys[further.Name] = map[string]bool{}
		}
		r.keys[further.Name][further.Key] = true
	}
}

// spell writes what the runtime reads: * where $additionalProperties has single members, !name for another property, and
// name(key,key) for one that other versions name.
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
		var keys []string
		for _, key := range slices.Sorted(maps.Keys(r.keys[name])) {
			keys = append(keys, word(key))
		}
		items = append(items, word(name)+"("+strings.Join(keys, ",")+")")
	}
	return strings.Join(items, ",")
}
