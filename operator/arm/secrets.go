package arm

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/stratakube/strata/operator/arm/internal/identity"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
)

// secrets are values that no message may hold, the longest first. Services like to repeat in errors
// what they were sent.
type secrets []string

// shortest is how short a value may be that is still taken out. Shorter ones would take words
// apart, and hide nothing.
const shortest = 4

func secretsOf(r *v1.Resource) secrets {
	var found secrets
	add := func(value []byte) {
		text := strings.TrimSpace(string(value))
		if len(text) < shortest {
			return
		}
		found = append(found, text)
		if quoted, err := json.Marshal(text); err == nil && len(quoted)-2 != len(text) {
			found = append(found, string(quoted[1:len(quoted)-1])) // as it stands in JSON
		}
	}
	for _, secret := range r.GetSecrets() {
		add(secret.GetValue())
	}
	for _, key := range []string{identity.ClientSecret, identity.Certificate, identity.CertificatePassword, identity.AccessToken} {
		add(r.GetCredentials().GetValues()[key])
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	return found
}

func (s secrets) strip(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, "(secret)")
	}
	return text
}
