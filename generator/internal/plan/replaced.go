package plan

import (
	"encoding/json"
	"maps"
	"slices"
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

// replacedKey is a key, with the kind of its values and the JSON of what is free in them, as steps
// have both.
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
		key := replacedKey{further.Key, FurtherKind(further), f.free[i].JSON()}
		if keys := r.keys[further.Name]; !slices.Contains(keys, key) {
			r.keys[further.Name] = append(keys, key)
		}
	}
}

// replacedTag is the JSON of the tag "replaces", which the runtime decodes.
type replacedTag struct {
	All     bool             `json:"all,omitzero"`
	Foreign []string         `json:"foreign,omitempty"`
	Keys    []replacedMember `json:"keys,omitempty"`
}

// replacedMember is a key of an additional member.
type replacedMember struct {
	Name string          `json:"name"`
	Key  string          `json:"key,omitzero"`
	Kind string          `json:"kind,omitzero"`
	Free json.RawMessage `json:"free,omitempty"`
}

// spell writes what the runtime reads: whether $additionalProperties has single members, the names
// of other properties, and the keys of those that other versions name.
func (r *replaced) spell() string {
	tag := replacedTag{All: !r.typed, Foreign: slices.Sorted(maps.Keys(r.foreign))}
	for _, name := range slices.Sorted(maps.Keys(r.keys)) {
		if !r.foreign[name] && !r.unlike[name] && name != chain.AdditionalName {
			tag.Keys = append(tag.Keys, replacedMembers(name, r.keys[name])...)
		}
	}
	return compactJSON(tag)
}

// replacedMembers are the keys of one name, with the kinds of values where some are objects. Kinds
// stand in the order in which steps try them.
func replacedMembers(name string, keys []replacedKey) []replacedMember {
	var out []replacedMember
	if !slices.ContainsFunc(keys, replacedKey.mayHide) {
		for _, k := range keys {
			out = append(out, replacedMember{Name: name, Key: k.key})
		}
		slices.SortFunc(out, func(a, b replacedMember) int { return strings.Compare(a.Key, b.Key) })
		return slices.CompactFunc(out, func(a, b replacedMember) bool { return a.Key == b.Key })
	}
	for _, k := range keys {
		out = append(out, replacedMember{Name: name, Key: k.key, Kind: k.kind, Free: json.RawMessage(k.free)})
	}
	return out
}
