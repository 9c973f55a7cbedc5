// Package v6 shows a changed signature: List returns notes instead of texts. Older plugins do not
// know the authors.
package v6

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v1"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v2"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v5"
)

// Notes is what a plugin implements.
type Notes interface {
	Put(context.Context, *v2.PutBy) (*v1.Done, error)
	List(context.Context, *v1.Nothing) (*Listed, error)
	Flush(context.Context, *v1.Nothing) (*v1.Done, error)
}

// Version is version 6 of the kind.
var Version = define(contract.Adapted(v5.Version, adapt))

func adapt(older v5.Notes) Notes { return adapted{older} }

type adapted struct{ v5.Notes }

func (a adapted) List(ctx context.Context, in *v1.Nothing) (*Listed, error) {
	out, err := a.Notes.List(ctx, in)
	if err != nil {
		return nil, err
	}
	listed := &Listed{}
	for _, text := range out.GetTexts() {
		listed.Notes = append(listed.Notes, &Note{Text: text})
	}
	return listed, nil
}
