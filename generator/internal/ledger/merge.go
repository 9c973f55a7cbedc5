package ledger

import (
	"context"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Finding is what merging reports about one resource version.
type Finding struct {
	// Contradicts says that the sources contradict the ledger, whose version then
	// stands; else something is gone from the sources, and was put back.
	Contradicts   bool
	Type, Version string
	Text, Hint    string
	Pos           model.Pos
	// Path is that of the property whose types contradict each other, and Known what the ledger has
	// there; both empty for another finding.
	Path  string
	Known model.Type
}

// Merge unites freshly refined resources, all of which may enter, with what the ledger holds,
// sorted by type. What the ledger knows of a version stands: properties that the sources have lost
// are put back, as optional ones, and types keep the names that they have had; docs, limits and new
// properties arrive. A version that the sources no longer declare, or now declare with another type
// somewhere in its spec, is the ledger's. A status keeps the types that it has had. The fresh
// resources are changed. What is returned once the context has ended is incomplete.
func (l *Ledger) Merge(ctx context.Context, fresh []*model.Resource) ([]*model.Resource, []Finding) {
	byType := map[string]*model.Resource{}
	for _, r := range fresh {
		byType[strings.ToLower(r.Type)] = r
	}
	var out []*model.Resource
	var all []Finding
	for _, e := range l.Entries {
		if ctx.Err() != nil {
			break
		}
		r := byType[strings.ToLower(e.Model.Type)]
		merged, findings := mergeResource(e.Model, r)
		out, all = append(out, merged), append(all, findings...)
	}
	for _, r := range fresh {
		if l.Find(r.Type) == nil {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, model.ByType)
	return out, all
}

// mergeResource unites the versions of one resource. Fresh may be nil.
func mergeResource(known, fresh *model.Resource) (*model.Resource, []Finding) {
	out := known.Head()
	if fresh == nil {
		fresh = &model.Resource{}
	} else {
		out.Facts = fresh.Facts
	}
	var all []Finding
	for _, v := range known.Versions {
		if n := fresh.Version(v.Name); n != nil {
			merged, findings := mergeVersion(known, v, n)
			v, all = merged, append(all, findings...)
		}
		out.Versions = append(out.Versions, v)
	}
	for _, v := range fresh.Versions {
		if known.Version(v.Name) == nil {
			out.Versions = append(out.Versions, v)
		}
	}
	return out, all
}

// mergeVersion gives the fresh version with what it has lost put back, or the
// known one if the two contradict each other.
func mergeVersion(of *model.Resource, known, fresh *model.Version) (*model.Version, []Finding) {
	c := newComparison(of, known, fresh)
	if known.AtRoot != fresh.AtRoot {
		c.contradict(fresh.Pos, "the members beside metadata and status are stored in another way: some version has come to have a member at the root beside spec and status, or has it no more",
			"objects may be stored as the ledger has it: exclude the version that differs, or begin a new output folder")
	}
	c.storedBy()
	c.compare(known.Spec, fresh.Spec, "", fresh.Pos)
	c.observe()
	if contradictions := slices.DeleteFunc(slices.Clone(c.findings), func(f Finding) bool { return !f.Contradicts }); len(contradictions) > 0 {
		return known, contradictions
	}
	c.restore()
	return fresh, c.findings
}

// storedBy keeps the mark that another program has stored objects of the version. The name of
// Strata's storage version follows from it, so that a version that was generated without it cannot
// get it.
func (c *comparison) storedBy() {
	by, now := c.known.Facts.Get(model.StoredBy), c.fresh.Facts.Get(model.StoredBy)
	switch {
	case by != "" && now == "":
		c.fresh.Facts = append(c.fresh.Facts, model.Fact{Name: model.StoredBy, Value: by})
	case by == "" && now != "":
		c.contradict(c.fresh.Pos, "its objects are stored by another program now, and the ledger has none such: Strata's storage version would get another name",
			"remove the group from groups.storedBy, or begin a new output folder")
	}
}
