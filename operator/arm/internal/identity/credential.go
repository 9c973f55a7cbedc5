package identity

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/stratakube/strata/operator/arm/internal/config"
)

// The keys of Secrets, which are variables of the environment as well.
const (
	TenantID            = "AZURE_TENANT_ID"
	ClientID            = "AZURE_CLIENT_ID"
	ClientSecret        = "AZURE_CLIENT_SECRET"
	Certificate         = "AZURE_CLIENT_CERTIFICATE"
	CertificatePassword = "AZURE_CLIENT_CERTIFICATE_PASSWORD"
	SubscriptionID      = "AZURE_SUBSCRIPTION_ID"
	AccessToken         = "AZURE_ACCESS_TOKEN"
	AccessTokenExpires  = "AZURE_ACCESS_TOKEN_EXPIRES"
)

// Error is about credentials that do not do, whatever is tried with them.
type Error struct{ message string }

func (e *Error) Error() string { return "credentials: " + e.message }

// NonRetriable stops retries of the pipeline.
func (e *Error) NonRetriable() {}

func wrong(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// FromValues makes a credential of the values of a Secret.
func FromValues(values map[string][]byte, c *config.Config, options azcore.ClientOptions) (azcore.TokenCredential, error) {
	get := func(key string) string { return strings.TrimSpace(string(values[key])) }
	if get(AccessToken) != "" {
		return staticToken(get(AccessToken), get(AccessTokenExpires))
	}
	tenant, client := or(get(TenantID), c.Tenant), or(get(ClientID), c.Client)
	if get(ClientSecret) == "" && len(values[Certificate]) == 0 {
		return nil, wrong("the Secret has none of %s, %s and %s", ClientSecret, Certificate, AccessToken)
	}
	if tenant == "" || client == "" {
		return nil, wrong("the Secret lacks %s or %s, and the configuration has no other", TenantID, ClientID)
	}
	if err := canAsk(c); err != nil {
		return nil, err
	}
	options.Cloud = c.Cloud
	if get(ClientSecret) != "" {
		return checked(azidentity.NewClientSecretCredential(tenant, client, get(ClientSecret),
			&azidentity.ClientSecretCredentialOptions{ClientOptions: options, DisableInstanceDiscovery: c.IsPrivate}))
	}
	certificates, key, err := azidentity.ParseCertificates(values[Certificate], values[CertificatePassword])
	if err != nil {
		return nil, wrong("%s: %v", Certificate, err)
	}
	return checked(azidentity.NewClientCertificateCredential(tenant, client, certificates, key,
		&azidentity.ClientCertificateCredentialOptions{ClientOptions: options, DisableInstanceDiscovery: c.IsPrivate}))
}

// Own is the credential of the plugin itself: a token or a secret of its environment, else, where
// the configuration names the client, that one's federated or managed identity, else whatever
// azidentity finds.
func Own(c *config.Config, options azcore.ClientOptions) (azcore.TokenCredential, error) {
	values := environment()
	if len(values[AccessToken])+len(values[ClientSecret])+len(values[Certificate]) > 0 {
		return FromValues(values, c, options)
	}
	if err := canAsk(c); err != nil {
		return nil, err
	}
	options.Cloud = c.Cloud
	client := or(string(values[ClientID]), c.Client)
	switch {
	case os.Getenv("AZURE_FEDERATED_TOKEN_FILE") != "":
		return checked(azidentity.NewWorkloadIdentityCredential(&azidentity.WorkloadIdentityCredentialOptions{
			ClientOptions: options, DisableInstanceDiscovery: c.IsPrivate,
			ClientID: client, TenantID: or(string(values[TenantID]), c.Tenant),
		}))
	case c.Client != "":
		return checked(azidentity.NewManagedIdentityCredential(&azidentity.ManagedIdentityCredentialOptions{
			ClientOptions: options, ID: azidentity.ClientID(client),
		}))
	}
	return checked(azidentity.NewDefaultAzureCredential(&azidentity.DefaultAzureCredentialOptions{
		ClientOptions: options, DisableInstanceDiscovery: c.IsPrivate, TenantID: c.Tenant,
	}))
}

// canAsk refuses to ask for tokens that no service gives, or that others could read on the network.
func canAsk(c *config.Config) error {
	switch {
	case c.Endpoint.Scheme == "http":
		return wrong("the endpoint is http, where only %s or the configuration's credentials: none are used", AccessToken)
	case c.Cloud.ActiveDirectoryAuthorityHost == "":
		return wrong("the configuration has no URL that issues tokens")
	}
	return nil
}

// environment is what the process's environment holds of the keys of Secrets.
func environment() map[string][]byte {
	values := map[string][]byte{}
	for _, key := range []string{
		TenantID, ClientID, ClientSecret, Certificate, CertificatePassword, SubscriptionID, AccessToken, AccessTokenExpires,
	} {
		if value := os.Getenv(key); value != "" {
			values[key] = []byte(value)
		}
	}
	return values
}

// checked turns a refusal of azidentity into an Error. Such a refusal is about names of tenants and
// clients, not about secrets.
func checked[C azcore.TokenCredential](credential C, err error) (azcore.TokenCredential, error) {
	if err != nil {
		return nil, wrong("%v", err)
	}
	return credential, nil
}

// static is a token that was got elsewhere.
type static struct {
	token   string
	expires time.Time // zero where it is not known
}

func staticToken(token, expires string) (azcore.TokenCredential, error) {
	for i := range len(token) {
		if token[i] <= ' ' || token[i] > '~' {
			return nil, wrong("byte %d of %s is a blank, a control character or no ASCII, and no header can carry it: store the token alone, without quotes or line ends", i+1, AccessToken)
		}
	}
	if expires == "" {
		return static{token: token}, nil
	}
	at, err := time.Parse(time.RFC3339, expires)
	if err != nil {
		return nil, wrong("%s is no time as 2006-01-02T15:04:05Z", AccessTokenExpires)
	}
	return static{token, at}, nil
}

// whileUnknown is for how long a token is used whose end is unknown.
const whileUnknown = 24 * time.Hour

func (s static) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	if s.expires.IsZero() {
		return azcore.AccessToken{Token: s.token, ExpiresOn: time.Now().Add(whileUnknown)}, nil
	}
	if !time.Now().Before(s.expires) {
		return azcore.AccessToken{}, wrong("the token expired at %s", s.expires.UTC().Format(time.RFC3339))
	}
	return azcore.AccessToken{Token: s.token, ExpiresOn: s.expires}, nil
}

// RefusalOf finds what an error says about credentials that do not do. It is nil where an error is
// about something else.
func RefusalOf(err error) *Error {
	var ours *Error
	_ = errors.As(err, &ours)
	return ours
}

func or(given, otherwise string) string {
	if given != "" {
		return given
	}
	return otherwise
}
