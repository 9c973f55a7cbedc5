// Package v2 shows an added parameter, the author of a note. Older plugins do not receive it.
package v2

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v1"
)

// Notes is what a plugin implements.
type Notes interface {
	Put(context.Context, *PutBy) (*v1.Done, error)
	List(context.Context, *v1.Page) (*v1.Texts, error)
	Purge(context.Context, *v1.Nothing) (*v1.Done, error)
}

// Version is version 2 of the kind.
var Version = define(contract.Adapted(v1.Version, adapt))

func adapt(older v1.Notes) Notes { return adapted{older} }

type adapted struct{ v1.Notes }

func (a adapted) Put(ctx context.Context, in *PutBy) (*v1.Done, error) {
	return a.Notes.Put(ctx, &v1.PutText{Text: in.GetText()})
}
