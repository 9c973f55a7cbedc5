package plan

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/augmentation"
)

// own finds the packages whose API types people wrote.
func (g *grouper) own(all []*augmentation.Package) {
	for _, p := range g.group.Packages {
		for _, kv := range p.Kinds {
			for _, candidate := range all {
				if r := candidate.Root(kv.Kind.Resource.Model.Type); r != nil && r.Version == kv.Version.Model.Name {
					p.Own = candidate
				}
			}
		}
	}
}

// Root is the root that people wrote of a resource, nil where its API types are
// generated.
func (k *KindVersion) Root() *augmentation.Root {
	if k.Package.Own == nil || k.Package.Pruned() {
		return nil
	}
	return k.Package.Own.Root(k.Kind.Resource.Model.Type)
}

// IsOwn reports whether people wrote the API types of the package.
func (p *Package) IsOwn() bool { return p.Own != nil && !p.Pruned() }

// Strays are the resources of a package of people's that are not in it.
func (p *Package) Strays() []string {
	var out []string
	for _, kv := range p.Kinds {
		if p.IsOwn() && kv.Root() == nil {
			out = append(out, kv.Kind.Name)
		}
	}
	slices.SortFunc(out, strings.Compare)
	return out
}
