package arm

import (
	"strings"

	"github.com/stratakube/strata/operator/arm/internal/identity"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	"github.com/stratakube/strata/operator/plugin/redaction"
)

// secrets has the values that no message may contain.
type secrets [][]byte

func secretsOf(r *v1.Resource) secrets {
	var found secrets
	for _, secret := range r.GetSecrets() {
		found = append(found, secret.GetValue())
	}
	for _, key := range []string{identity.ClientSecret, identity.Certificate, identity.CertificatePassword, identity.AccessToken} {
		found = append(found, r.GetCredentials().GetValues()[key])
	}
	return found
}

// maxMessage is the maximum length of a message in bytes.
const maxMessage = 2000

// strip returns a text without the secrets, and shortens it after that: a part of a secret would
// not be found.
func (s secrets) strip(text string) string {
	text = redaction.Remove(text, "(secret)", s...)
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "..."
	}
	return text
}
