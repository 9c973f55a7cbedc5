// Package v3 shows a removed parameter, the limit of List. Older plugins get a default.
package v3

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v1"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v2"
)

// Notes is what a plugin implements.
type Notes interface {
	Put(context.Context, *v2.PutBy) (*v1.Done, error)
	List(context.Context, *v1.Nothing) (*v1.Texts, error)
	Purge(context.Context, *v1.Nothing) (*v1.Done, error)
}

// Version is version 3 of the kind.
var Version = define(contract.Adapted(v2.Version, adapt))

func adapt(older v2.Notes) Notes { return adapted{older} }

type adapted struct{ v2.Notes }

// most is the limit that older plugins get; it exceeds any number of notes.
const most = 1 << 20

func (a adapted) List(ctx context.Context, _ *v1.Nothing) (*v1.Texts, error) {
	return a.Notes.List(ctx, &v1.Page{Limit: most})
}
