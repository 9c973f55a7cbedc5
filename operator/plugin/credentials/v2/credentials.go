// Package v2 is version 2 of the kind of plugin that gives out credentials for an external API. A source learns for whom it
// answers, and says how long a token is good.
package v2

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/credentials/v1"
)

// Source gives tokens for an external API, to those who may have them.
type Source interface {
	// Token returns a token that is good for all scopes of the request, or refuses the resource that asks.
	Token(context.Context, *TokenRequest) (*TokenResponse, error)
}

// Version is version 2 of the kind. Sources of version 1 do not stand in for it.
var Version = define(contract.NotAdaptable[v1.Source, Source](v1.Version,
	"it does not learn for whom it answers, and would give every namespace the same token"))
