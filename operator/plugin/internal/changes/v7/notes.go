// Package v7 shows a version that embeds the previous one: all of version 6, and Count.
package v7

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v1"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v6"
)

// Notes is what a plugin implements.
type Notes interface {
	v6.Notes
	Count(context.Context, *v1.Nothing) (*Counted, error)
}

// Version is version 7 of the kind.
var Version = define(contract.Adapted(v6.Version, adapt))

func adapt(older v6.Notes) Notes { return adapted{older} }

type adapted struct{ v6.Notes }

func (a adapted) Count(ctx context.Context, in *v1.Nothing) (*Counted, error) {
	out, err := a.List(ctx, in)
	if err != nil {
		return nil, err
	}
	return &Counted{Count: uint32(len(out.GetNotes()))}, nil
}
