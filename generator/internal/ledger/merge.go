package ledger

import (
	"context"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Finding is a difference between a resource version in the sources and in the ledger.
type Finding struct {
	// Contradicts means that the sources contradict the ledger, whose version is then used.
	// Otherwise the sources have lost a part of the version, and it was restored.
	Contradicts   bool
	Type, Version string
	Text, Hint    string
	Pos           model.Pos
	// Path is the path of the property whose types contradict each other, and Known its type in
	// the ledger. Both are empty for other findings.
	Path  string
	Known model.Type
}

// Merge merges freshly refined resources into those of the ledger, and returns all resources,
// sorted by type. The ledger's decisions are preserved: properties that the sources have lost are
// restored as optional ones, and types have their former names. Docs, limits and new properties
// are taken from the sources. Merge uses the ledger's version if the sources no longer declare
// it, or if they declare another type somewhere in its spec. Properties of a status have the
// types of the ledger. Merge changes the fresh resources. The result is incomplete if ctx ends
// before Merge returns; the caller must check ctx.
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

// mergeResource merges the versions of one resource. fresh may be nil.
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

// mergeVersion returns the fresh version with its lost parts restored, or the known one if the
// two contradict each other.
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

// storedBy preserves the fact that another program has stored objects of the version. The name of
// Strata's storage version depends on it, so that a version that was generated without the fact
// must not get it.
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
