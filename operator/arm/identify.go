package arm

import (
	"context"
	"strings"

	"github.com/stratakube/strata/operator/arm/internal/identity"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// Identify returns the identifier of a resource and the scope of its credentials, and makes no
// calls. ARM ignores the case of identifiers, so that the key is in lower case.
func (a *arm) Identify(_ context.Context, in *provider.Subject) (*provider.Identity, error) {
	r := in.GetResource()
	s := &subject{resource: r, secrets: secretsOf(r)}
	if err := s.address(a); err != nil {
		return nil, s.fail(err)
	}
	values := r.GetCredentials().GetValues()
	return &provider.Identity{
		Id: s.id.String(), Key: strings.ToLower(s.id.String()),
		Scope: identity.Scope(values, a.config), Anonymous: len(values) == 0 && a.config.Anonymous,
	}, nil
}
