package plan

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
)

// replaced lists the bag keys to remove when a client writes a further member of a storage type.
// Steps know these keys from [Further]. The list is for types without such a step: the hub's, and
// those whose step, even a fused one, hands everything over.
type replaced struct {
	keys    map[string][]replacedKey // by the names of further members
	foreign map[string]bool          // names of other properties
	unlike  map[string]bool          // names of properties that are never further members
	typed   bool
	wanted  bool
}

// replacedKey is a key, the kind of its values, and the JSON of the list of their free parts, as
// in [Further].
type replacedKey struct{ key, kind, free string }

// mayHide reports whether values of the key contain property bags.
func (k replacedKey) mayHide() bool { return strings.HasSuffix(k.kind, "o") }

// replace sets which bag keys the further members of open storage types replace. A type at
// several places gets the keys of all of them.
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
				delete(r.keys, f.Property.Name) // a declared property is not a further member
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

// spell returns the JSON that the runtime reads. It states whether $additionalProperties contains
// single members, the names of other properties, and the keys of properties that other versions
// name.
func (r *replaced) spell() string {
	tag := replacedTag{All: !r.typed, Foreign: slices.Sorted(maps.Keys(r.foreign))}
	for _, name := range slices.Sorted(maps.Keys(r.keys)) {
		if !r.foreign[name] && !r.unlike[name] && name != chain.AdditionalName {
			tag.Keys = append(tag.Keys, replacedMembers(name, r.keys[name])...)
		}
	}
	return compactJSON(tag)
}

// replacedMembers returns the keys of one name, with the kinds of values if some are objects.
// Kinds are in the order in which steps try them.
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
