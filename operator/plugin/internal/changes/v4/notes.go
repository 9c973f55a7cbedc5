// Package v4 shows a new method that may do nothing, Flush. Older plugins have nothing to flush.
package v4

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v1"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v2"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v3"
)

// Notes is what a plugin implements.
type Notes interface {
	Put(context.Context, *v2.PutBy) (*v1.Done, error)
	List(context.Context, *v1.Nothing) (*v1.Texts, error)
	Purge(context.Context, *v1.Nothing) (*v1.Done, error)
	Flush(context.Context, *v1.Nothing) (*v1.Done, error)
}

// Version is version 4 of the kind.
var Version = define(contract.Adapted(v3.Version, adapt))

func adapt(older v3.Notes) Notes { return adapted{older} }

type adapted struct{ v3.Notes }

func (adapted) Flush(context.Context, *v1.Nothing) (*v1.Done, error) { return &v1.Done{}, nil }
