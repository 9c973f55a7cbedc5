// Package provider is the kind of plugin that manages resources in an external API, for hosts: its
// newest version, whichever one plugins implement. Authors import a version: provider/v1 and so on.
package provider

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/provider/v2"
)

// Provider is the newest interface of the kind.
type Provider = v2.Provider

// Latest is the newest version of the kind.
var Latest = v2.Version

// Get returns the provider with a name.
func Get(ctx context.Context, h *host.Host, name string, config map[string]string) (Provider, error) {
	return host.Get(ctx, h, Latest, name, config)
}
