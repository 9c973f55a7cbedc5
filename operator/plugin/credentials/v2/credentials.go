// Package v2 is version 2 of the kind of plugin that provides credentials for an external API. A
// request names the resource that asks, and an answer says how long a token is valid.
package v2

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/credentials/v1"
)

// Source returns tokens for an external API, if the resource may have them.
type Source interface {
	// Token returns a token that is valid for all scopes of the request, or refuses the resource
	// that asks.
	Token(context.Context, *TokenRequest) (*TokenResponse, error)
}

// Version is version 2 of the kind. Sources of version 1 are not adapted to it.
var Version = define(contract.NotAdaptable[v1.Source, Source](v1.Version,
	"it does not learn for whom it answers, and would give every namespace the same token"))
