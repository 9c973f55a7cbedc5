// Package credentials is the kind of plugin that provides credentials for an external API, for
// hosts: its newest version, whichever version plugins implement. Authors import a version:
// credentials/v1 and so on.
package credentials

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/credentials/v2"
	"github.com/stratakube/strata/operator/plugin/host"
)

// Source is the newest interface of the kind.
type Source = v2.Source

// Latest is the newest version of the kind.
var Latest = v2.Version

// Get returns the source with a name.
func Get(ctx context.Context, h *host.Host, name string, config map[string]string) (Source, error) {
	return host.Get(ctx, h, Latest, name, config)
}
