package engine

import (
	"context"
	"io"
	"slices"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

// Show prints the refined models that a run uses.
func (Engine) Show(ctx context.Context, r ShowRequest) error {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return err
	}
	models, err := newRun(r.Request, c).toRefined(ctx)
	if err != nil {
		return err
	}
	_, err = io.WriteString(r.Out, plaintext.JSON(string(models.text())))
	return err
}

// text prints the models that --only names, each with the versions that it allows.
func (rf Refined) text() []byte {
	var out []*model.Resource
	for _, r := range rf.Resources {
		selected := *r
		selected.Versions = slices.DeleteFunc(slices.Clone(r.Versions), func(v *model.Version) bool { return !rf.Only.Allows(r.Type, v.Name) })
		if len(selected.Versions) > 0 {
			out = append(out, &selected)
		}
	}
	return model.Print(out...)
}
