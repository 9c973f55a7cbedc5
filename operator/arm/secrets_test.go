package arm

import (
	"testing"

	"github.com/stratakube/strata/operator/arm/internal/identity"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
)

// TestSecretsOfResource has a message repeat each value of a resource that is secret, and one that
// is not.
func TestSecretsOfResource(t *testing.T) {
	const value = "hunter2"
	credential := func(key string) *v1.Resource {
		return &v1.Resource{Credentials: &v1.Credentials{Values: map[string][]byte{key: []byte(value)}}}
	}
	for reason, test := range map[string]struct {
		resource *v1.Resource
		want     string
	}{
		"a secret of the spec":     {&v1.Resource{Secrets: []*v1.Secret{{Path: "p", Value: []byte(value)}}}, "no (secret)"},
		"the secret of a client":   {credential(identity.ClientSecret), "no (secret)"},
		"a certificate":            {credential(identity.Certificate), "no (secret)"},
		"the password of that":     {credential(identity.CertificatePassword), "no (secret)"},
		"a token":                  {credential(identity.AccessToken), "no (secret)"},
		"the identifier of tenant": {credential("AZURE_TENANT_ID"), "no " + value},
	} {
		if got := secretsOf(test.resource).strip("no " + value); got != test.want {
			t.Errorf("%s: the message is %q, want %q", reason, got, test.want)
		}
	}
}
