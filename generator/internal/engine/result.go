package engine

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
)

func (b *build) summary(changes *output.Changes) Summary {
	out := Summary{Groups: len(b.plan.Groups), Files: len(changes.Outputs), Omitted: len(changes.Manifest.Omitted), FreeJSON: len(b.conflicts)}
	for _, g := range b.plan.Groups {
		out.Resources += len(g.Kinds)
		for _, k := range g.Kinds {
			out.Versions += len(k.Versions)
		}
	}
	return out
}

// text writes the models that --only asks for, each with the versions it allows.
func (b *build) text() []byte {
	var out []*model.Resource
	for _, r := range b.refined {
		shown := *r
		shown.Versions = slices.DeleteFunc(slices.Clone(r.Versions), func(v *model.Version) bool { return !b.Only.Allows(r.Type, v.Name) })
		if len(shown.Versions) > 0 {
			out = append(out, &shown)
		}
	}
	return model.Print(out...)
}
