package diff

import (
	"context"
	"slices"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// Between compares two versions of one resource. Its chain determines which properties are the
// same.
func Between(ctx context.Context, r *chain.Resource, from, to *chain.Version) Comparison {
	roots := []objects{{old: r.Root.Defs[from.Index], new: r.Root.Defs[to.Index], place: r.Root}}
	if p := r.Status; p != nil {
		roots = append(roots, objects{old: p.Defs[from.Index], new: p.Defs[to.Index], place: p, path: "status"})
	}
	return Comparison{
		Resource: r.Model.Type, Kind: r.Model.Kind, From: from.Model.Name, To: to.Model.Name,
		Changes: slices.Concat(ofVersions(from.Model, to.Model, false), compare(follow(r, from, to), false, roots), refused(ctx, from.Model, to.Model)),
		id:      identityOf(r, from, to),
	}
}

// Neighbours compares each version of a resource with the one before it: on the main line with the
// previous one there, and a leaf with the version that it belongs to.
func Neighbours(ctx context.Context, r *chain.Resource) []Comparison {
	var out []Comparison
	for _, v := range r.Versions {
		if before := Before(r, v); before != nil {
			out = append(out, Between(ctx, r, before, v))
		}
	}
	return out
}

// Before returns the version that a version is compared with; nil for the first.
func Before(r *chain.Resource, v *chain.Version) *chain.Version {
	if v.Leaf {
		return v.Next
	}
	for _, w := range slices.Backward(r.Versions[:v.Index]) {
		if !w.Leaf {
			return w
		}
	}
	return nil
}

// States compares two states of one version, by the names of its properties.
func States(ctx context.Context, r *chain.Resource, v *chain.Version, old, later *model.Version) Comparison {
	atRoot := old.AtRoot || later.AtRoot
	roots := []objects{{old: lifted(old, atRoot), new: lifted(later, atRoot)}}
	if old.Status != nil && later.Status != nil {
		roots = append(roots, objects{old: old.Status.(*model.Ref).Def, new: later.Status.(*model.Ref).Def, path: "status"})
	}
	return Comparison{
		Resource: r.Model.Type, Kind: r.Model.Kind, From: old.Name, To: later.Name,
		Changes: slices.Concat(ofVersions(old, later, true), compare(byName{}, true, roots), refused(ctx, old, later)),
		id:      identityOf(r, v, v),
	}
}

// lifted returns the definition that a spec refers to: below a member named spec if the other state
// of the version has members beside it.
func lifted(v *model.Version, atRoot bool) *model.Def {
	spec := v.Spec.(*model.Ref)
	if v.AtRoot || !atRoot {
		return spec.Def
	}
	o := &model.Object{Properties: []*model.Property{{Name: "spec", Doc: spec.Def.Doc, Type: spec, Pos: spec.Def.Pos}}}
	return &model.Def{Name: spec.Def.Name, Type: o, Pos: v.Pos}
}
