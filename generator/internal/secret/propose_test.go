package secret_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/secret"
)

// TestLooks lists names of real APIs, and whether they are secrets.
func TestLooks(t *testing.T) {
	tests := []struct {
		name, doc string
		want      bool
	}{
		{"adminPassword", "", true},
		{"clientSecret", "The client secret used with the client ID.", true},
		{"pullSecret", "The pull secret for the cluster.", true},
		{"primaryConnectionString", "", true},
		{"connectionString-PrimaryKey", "", true},
		{"rdb-storage-connection-string", "", true},
		{"sshPrivateKey", "", true},
		{"sharedKey", "The IPSec shared key.", true},
		{"operatorKeyCode", "The Opc value.", true},
		{"accessKey1", "", true},
		{"adminPassword2", "", true},
		{"key1", "", false},
		{"accessKey1Id", "", false},
		{"sasToken", "", true},
		{"token", "The access token used to access the source control provider.", true},
		{"primaryKey", "A base64-encoded 256-bit primary key for signing and validating the SAS token.", true},
		{"applicationSecret", "An AAD client secret that is used to authenticate the access to the Azure Key Vault.", true},
		{"primaryKey", "The column that is the primary key of the table.", false},
		{"primaryKey", "", false},
		{"key", "The key of the tag.", false},
		{"publicKey", "", false},
		{"sshPublicKey", "SSH public key.", false},
		{"keyVaultId", "", false},
		{"keyVaultSecretId", "", false},
		{"keyVaultSecret", "", false},
		{"secretName", "", false},
		{"secretUri", "", false},
		{"passwordPolicy", "", false},
		{"tokenEndpoint", "", false},
		{"nextPageToken", "", false},
		{"continuationToken", "A token for the next page.", false},
		{"token", "", false},
		{"partitionKey", "The partition key of the container.", false},
		{"instrumentationKey", "", false},
		{"secret", "The name of the secret in the vault.", false},
		{"secret", "The secret of the Key Vault.", false},
		{"accessKey", "The resource id of the key.", false},
		{"value", "The value of the secret. It is never returned.", true},
		{"value", "The actual value of the secret.", true},
		{"value", "Secret value", true},
		{"value", "The value of the tag. It is no secret value.", false},
		{"value", "The name of the value of the secret.", false},
		{"value", "", false},
	}
	for _, tt := range tests {
		p := &model.Property{Name: tt.name, Doc: tt.doc, Type: &model.Scalar{Kind: model.String}}
		if got := secret.Looks(p); got != tt.want {
			t.Errorf("%s (%s): %v, want %v", tt.name, tt.doc, got, tt.want)
		}
	}
	for reason, p := range map[string]*model.Property{
		"a boolean":             {Name: "adminPassword", Type: &model.Scalar{Kind: model.Bool}},
		"an object":             {Name: "clientSecret", Type: &model.Ref{Def: &model.Def{Type: &model.Object{}}}},
		"what can only be read": {Name: "accessKey", Type: &model.Scalar{}, ReadOnly: true},
		"an enum":               {Name: "sasToken", Type: &model.Enum{Values: []string{`"on"`, `"off"`}}},
	} {
		if secret.Looks(p) {
			t.Errorf("%s looks like a secret", reason)
		}
	}
	for _, value := range []string{`""`, `"changeit"`} {
		if p := (&model.Property{Name: "adminPassword", Type: &model.Scalar{Kind: model.String}, Default: value}); !secret.Looks(p) {
			t.Errorf("a password with the default %s does not look like a secret", value)
		}
	}
}

// TestKeyPairs covers rules of authorization whose keys have names that a column of a table can
// have too. Two of them in one object are keys of a service.
func TestKeyPairs(t *testing.T) {
	resource := parse(t, `
resource A/hubs
  kind Hub hubs
  version 2013-03-03
    spec &HubSpec
    def HubSpec object
      .policies list &Policy
      .table &Table
      .named &Named
    def Policy object
      .keyName string
      .primaryKey string
        "The primary key."
      .secondaryKey string
        "The secondary key."
    def Table object
      .primaryKey string
        "The primary key."
    def Named object
      .primaryKey string
        "The name of the first key."
      .secondaryKey string
        "The name of the second key."
`)
	var got []string
	for _, p := range secret.NewRules(nil).Propose([]*model.Resource{resource}) {
		got = append(got, p.Property)
	}
	if want := "policies[].primaryKey policies[].secondaryKey"; strings.Join(got, " ") != want {
		t.Errorf("proposed are %q, want %s", got, want)
	}
}

// TestSecretsOfOtherVersions covers properties that the source marks as secrets in one version
// only. The other versions show their values, unless a rule decides.
func TestSecretsOfOtherVersions(t *testing.T) {
	resource := parse(t, `
resource A/things
  kind Thing things
  version 2013-03-03
    spec &ThingSpec
    def ThingSpec object
      .Note string
      .code string
      .size int
      .inner &Inner
    def Inner object
      .note string
  version 2014-04-04
    spec &ThingSpec
    def ThingSpec object
      .note secret string
      .size secret string
      .inner &Inner
    def Inner object
      .code secret string
`)
	for _, test := range []struct {
		reason string
		rules  []config.PropertyRule
		want   string
	}{
		{"a text at the same path", nil, "Note [2013-03-03]"},
		{"a rule decides", []config.PropertyRule{{Property: "note"}}, ""},
	} {
		var got []string
		for _, p := range secret.NewRules(test.rules).Propose([]*model.Resource{resource}) {
			got = append(got, fmt.Sprint(p.Property, " ", p.Versions))
		}
		if all := strings.Join(got, "; "); all != test.want {
			t.Errorf("%s: it proposes %s, want %s", test.reason, all, test.want)
		}
	}
}
