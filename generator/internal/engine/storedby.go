package engine

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/generator/internal/version"
)

// storedBy returns the program that has stored the objects of a resource type; empty if there is
// none.
func (run *Run) storedBy(resource string) string {
	group, _, _ := strings.Cut(resource, "/")
	return run.config.Groups.StoredBy[group]
}

// isStored reports whether a version of a CRD is one in which another program stores objects. Its
// schema is not read, because it is not an API version.
func (run *Run) isStored(resource, name string) bool {
	_, ok := version.OfStorage(name)
	return ok && run.storedBy(resource) != ""
}

// markStored removes the versions in which another program stores objects from a resource, and
// marks the API versions to which they belong. All versions are marked, since the names of Strata's
// own storage versions follow from the mark.
func (run *Run) markStored(r *model.Resource) {
	by := run.storedBy(r.Type)
	if by == "" {
		return
	}
	r.Versions = slices.DeleteFunc(r.Versions, func(v *model.Version) bool { return run.isStored(r.Type, v.Name) })
	for _, v := range r.Versions {
		v.Facts = append(v.Facts, model.Fact{Name: model.StoredBy, Value: syntax.Quote(by)})
	}
}

// checkStored reports configured groups that do not exist or are not Kubernetes APIs, and
// packages of which only some kinds are marked. A package has one storage version.
func (ch Chain) checkStored() {
	known, native := map[string]bool{}, map[string]bool{}
	for _, g := range ch.chain.Groups {
		known[g.Name] = true
		first := map[string]*chain.Resource{} // by version
		for _, r := range g.Resources {
			native[g.Name] = native[g.Name] || r.Model.IsForClusters()
			for _, v := range r.Versions {
				other := first[v.Label]
				if other == nil {
					first[v.Label] = r
				} else if storingProgram(other, v.Label) != storingProgram(r, v.Label) {
					ch.Messages.Add(diag.Errorf(ch.config.At("groups"), "objects of %s and %s in %s are stored by different programs", other.Model.Type, r.Model.Type, v.Label).
						WithHint("kinds of one version have one storage version: generate one of the two into an output folder of its own"))
				}
			}
		}
	}
	for _, group := range sortedKeys(ch.config.Groups.StoredBy) {
		at := ch.config.At(diag.Key("groups.storedBy", group))
		switch {
		case known[group] && !native[group]:
			ch.Messages.Add(diag.Errorf(at, "the kinds of %s are made from schemas of an external API", group).
				WithHint("read the CRDs of the program that stored the objects, by a crd source: what clients write stays as it is"))
		case !known[group] && ch.Only.IsZero() && len(ch.Omitted) == 0:
			ch.Messages.Add(nearest(diag.Errorf(at, "there is no group %s", group), group, sortedKeys(known), "strata show prints the groups that there are"))
		}
	}
}

// storingProgram returns the program that stores the objects of a resource in a version; empty for
// Strata.
func storingProgram(r *chain.Resource, label string) string {
	i := slices.IndexFunc(r.Versions, func(v *chain.Version) bool { return v.Label == label })
	return r.Versions[i].Model.Facts.Get(model.StoredBy)
}
