// Package v1 is version 1 of the kind of plugin that provides credentials for an external API.
package v1

import "context"

// Source returns tokens for an external API. It does not know which object a token is for.
type Source interface {
	// Token returns a token that is valid for all scopes of the request.
	Token(context.Context, *TokenRequest) (*TokenResponse, error)
}

// Version is version 1 of the kind.
var Version = define()
