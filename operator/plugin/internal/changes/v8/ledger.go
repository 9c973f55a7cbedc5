// Package v8 shows a whole new interface, to which no older version can be adapted.
package v8

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v1"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v7"
)

// Ledger is what a plugin implements.
type Ledger interface {
	Append(context.Context, *Entry) (*v1.Done, error)
}

// Version is version 8 of the kind.
var Version = define(contract.NotAdaptable[v7.Notes, Ledger](v7.Version, "a ledger that loses amounts is worse than none"))
