package arm

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/stratakube/strata/operator/arm/internal/identity"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
)

// secrets has the values that no message may contain, the longest first. Services often repeat in
// errors what they were sent.
type secrets []string

// shortest is the minimum length, in bytes, of values that are removed from messages. Shorter
// values would remove parts of words.
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
			found = append(found, string(quoted[1:len(quoted)-1])) // as JSON writes it
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
