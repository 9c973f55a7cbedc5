package diff

import (
	"context"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/model"
)

// Union merges the resources of two trees: the result has every version of either tree. If both
// have a version, it is that of the later tree.
func Union(old, later []*model.Resource) []*model.Resource {
	var out []*model.Resource
	for _, r := range later {
		united := *r
		united.Versions = slices.Clone(r.Versions)
		if before := find(old, r.Type); before != nil {
			for _, v := range before.Versions {
				if r.Version(v.Name) == nil {
					united.Versions = append(united.Versions, v)
				}
			}
		}
		out = append(out, &united)
	}
	for _, r := range old {
		if find(later, r.Type) == nil {
			out = append(out, r)
		}
	}
	return out
}

func find(all []*model.Resource, resourceType string) *model.Resource {
	at := slices.IndexFunc(all, func(r *model.Resource) bool { return strings.EqualFold(r.Type, resourceType) })
	if at < 0 {
		return nil
	}
	return all[at]
}

// Trees compares two trees whose union is linked: versions of both trees with themselves, and new
// versions with the one before. It omits comparisons without changes. The result is incomplete once
// the context has ended.
func Trees(ctx context.Context, old, later []*model.Resource, union *chain.Chain) []Comparison {
	var out []Comparison
	for _, g := range union.Groups {
		for _, r := range g.Resources {
			if ctx.Err() != nil {
				return out
			}
			out = append(out, trees(ctx, find(old, r.Model.Type), find(later, r.Model.Type), r)...)
		}
	}
	return out
}

func trees(ctx context.Context, old, later *model.Resource, r *chain.Resource) []Comparison {
	whole := Comparison{Resource: r.Model.Type, Kind: r.Model.Kind}
	switch {
	case old == nil:
		whole.To, whole.Changes = versionNames(later), []Change{{Kind: ResourceAdded}}
		return []Comparison{whole}
	case later == nil:
		whole.From, whole.Changes = versionNames(old), []Change{{Kind: ResourceRemoved, Severity: finding.Clients}}
		return []Comparison{whole}
	}
	common := slices.ContainsFunc(old.Versions, func(v *model.Version) bool { return later.Version(v.Name) != nil })
	var out []Comparison
	if whole.Changes = ofResources(old, later); len(whole.Changes) > 0 {
		out = append(out, whole)
	}
	for _, v := range r.Versions {
		if c, changed := state(ctx, old, later, r, v, common); changed {
			out = append(out, c)
		}
	}
	return out
}

// state compares the states of one version. If the trees have no version of a resource in common,
// they are two versions of it: neither was added or removed.
func state(ctx context.Context, old, later *model.Resource, r *chain.Resource, v *chain.Version, common bool) (Comparison, bool) {
	before, after := old.Version(v.Model.Name), later.Version(v.Model.Name)
	switch {
	case before != nil && after != nil:
		c := States(ctx, r, v, before, after)
		return c, len(c.Changes) > 0
	case after == nil:
		gone := Comparison{
			Resource: r.Model.Type, Kind: r.Model.Kind, From: v.Model.Name,
			Changes: []Change{removed(old, v.Model.Name)},
		}
		return gone, common
	}
	c := Comparison{Resource: r.Model.Type, Kind: r.Model.Kind, To: v.Model.Name}
	if with := Before(r, v); with != nil {
		c = Between(ctx, r, with, v)
	}
	c.Changes = slices.Insert(c.Changes, 0, Change{Kind: VersionAdded})
	return c, true
}

// removed returns the change that a version has gone.
func removed(old *model.Resource, version string) Change {
	stored := append(old.Facts.Texts(model.StoredVersions), old.Facts.Text(model.StorageVersion))
	if slices.Contains(stored, version) {
		return Change{Kind: StoredVersionRemoved, Severity: finding.StoredData}
	}
	return Change{Kind: VersionRemoved, Severity: finding.Clients}
}

func versionNames(r *model.Resource) string {
	var names []string
	for _, v := range r.Versions {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}
