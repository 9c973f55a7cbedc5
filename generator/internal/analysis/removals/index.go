package removals

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/model"
)

// Metadata is the metadata of a configuration about types and properties.
type Metadata struct {
	Renames     []config.Rename
	Removals    []config.Removal
	Conversions []config.Conversion
	Changes     []config.Change
}

// Of returns the metadata of a configuration.
func Of(c *config.Config) Metadata { return Metadata{c.Renames, c.Removals, c.Conversions, c.Changes} }

// About returns the metadata of the types that keep accepts.
func (m Metadata) About(keep func(group, version, typ string) bool) Metadata {
	return Metadata{
		Renames:     filter(m.Renames, func(n config.Rename) bool { return keep(n.Group, n.Version, n.Type) }),
		Removals:    filter(m.Removals, func(n config.Removal) bool { return keep(n.Group, n.Version, n.Type) }),
		Conversions: filter(m.Conversions, func(n config.Conversion) bool { return keep(n.Group, n.Version, n.Type) }),
		Changes:     filter(m.Changes, func(n config.Change) bool { return keep(n.Group, n.Version, n.Type) }),
	}
}

func filter[T any](all []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !keep(one) })
}

// key identifies a type or property of a group's version.
type key struct{ folder, version, typ, property string }

// entries are the properties of metadata as it spells them, by their keys in lower case.
type entries map[key][]string

func (e entries) add(folder, version, typ, property string) {
	k := key{folder, version, typ, strings.ToLower(property)}
	e[k] = append(e[k], property)
}

// mean reports whether an entry of an object's type, by any of its names, means a property.
func (e entries) mean(o spot, p *model.Property) bool {
	return slices.ContainsFunc(o.place.Names(o.version.Index), func(name string) bool {
		k := key{o.place.Resource.Group.Folder, o.version.Model.Name, name, strings.ToLower(p.Name)}
		return slices.ContainsFunc(e[k], func(spelled string) bool { return o.means(spelled, p) })
	})
}

// spot is a place in one version that has an object there.
type spot struct {
	place   *chain.Place
	version *chain.Version
}

// means reports whether a name in metadata means a property of the object.
func (s spot) means(name string, p *model.Property) bool {
	named := s.named(name)
	return len(named) == 1 && named[0] == p
}

// named returns the properties of the object that a name in metadata can mean.
func (s spot) named(name string) []*model.Property {
	return model.Named(s.place.Members(s.version.Index), name)
}

func (s spot) def() *model.Def { return s.place.Defs[s.version.Index] }

// next returns the next version of the main line in version order; nil if there is none.
func (s spot) next() *chain.Version { return s.place.Resource.NextMain(s.version) }

// spots returns where the resources of a group have objects of a type in a version.
func spots(g *chain.Group, version, typ string) []spot {
	var out []spot
	for _, r := range g.Resources {
		at := slices.IndexFunc(r.Versions, func(v *chain.Version) bool { return v.Model.Name == version })
		if at < 0 {
			continue
		}
		for _, p := range r.Places() {
			if d := p.Defs[at]; d != nil && d.Name == typ {
				out = append(out, spot{p, r.Versions[at]})
			}
		}
	}
	return out
}
