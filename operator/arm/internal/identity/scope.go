package identity

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/stratakube/strata/operator/arm/internal/config"
)

// Scope returns the scope of credentials, without a secret: the endpoint, the tenant and the
// subscription, as far as they are known. It leaves out the client, since the resources of a
// tenant are the same for all its clients.
func Scope(values map[string][]byte, c *config.Config) map[string]string {
	scope := map[string]string{"endpoint": strings.ToLower(c.Endpoint.Host)}
	if len(values) == 0 && c.Anonymous {
		return scope
	}
	if len(values) == 0 {
		values = environment()
	}
	get := func(key string) string { return strings.TrimSpace(string(values[key])) }
	set := func(name, value string) {
		if value != "" {
			scope[name] = strings.ToLower(value)
		}
	}
	set("tenant", or(tenantOf(get(AccessToken)), or(get(TenantID), c.Tenant)))
	set("subscription", get(SubscriptionID))
	return scope
}

// tenantOf returns the tenant in a token that is a JWT; empty for other tokens. It does not
// verify the token: ARM refuses one that a client has altered.
func tenantOf(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	data, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims struct {
		Tenant string `json:"tid"`
	}
	if err != nil || json.Unmarshal(data, &claims) != nil {
		return ""
	}
	return claims.Tenant
}
