// Package v5 shows a removed method, Purge. It is never called on older plugins.
package v5

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v1"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v2"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v4"
)

// Notes is what a plugin implements.
type Notes interface {
	Put(context.Context, *v2.PutBy) (*v1.Done, error)
	List(context.Context, *v1.Nothing) (*v1.Texts, error)
	Flush(context.Context, *v1.Nothing) (*v1.Done, error)
}

// Version is version 5 of the kind.
var Version = define(contract.Adapted(v4.Version, adapt))

func adapt(older v4.Notes) Notes { return older }
