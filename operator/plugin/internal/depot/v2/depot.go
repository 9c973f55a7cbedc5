// Package v2 has no checksums.
package v2

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/depot/v1"
)

// Store is what a plugin implements.
type Store interface {
	Fetch(context.Context, *v1.FetchRequest) (*Fetched, error)
}

// Version is version 2 of the kind.
var Version = define(contract.Adapted(v1.Version, adapt))

func adapt(older v1.Store) Store { return adapted{older} }

type adapted struct{ older v1.Store }

func (a adapted) Fetch(ctx context.Context, in *v1.FetchRequest) (*Fetched, error) {
	out, err := a.older.Fetch(ctx, in)
	return &Fetched{Data: out.GetData()}, err
}
