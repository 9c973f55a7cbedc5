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

// The keys of Secrets. They are also the names of environment variables.
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

// Error reports unusable credentials: no retry can succeed.
type Error struct{ message string }

func (e *Error) Error() string { return "credentials: " + e.message }

// NonRetriable stops retries of the pipeline.
func (e *Error) NonRetriable() {}

func wrong(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// FromValues returns the credential for the values of a Secret.
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

// Own returns the credential of the plugin itself. It is the token, secret or certificate in the
// environment, or else the federated identity, if the environment names its token file. Otherwise
// it is the managed identity of the client that the configuration names, or the default of
// azidentity.
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

// canAsk returns an error if no service issues tokens, or if others could read the credentials on
// the network.
func canAsk(c *config.Config) error {
	switch {
	case c.Endpoint.Scheme == "http":
		return wrong("the endpoint is http, where only %s or the configuration's credentials: none are used", AccessToken)
	case c.Cloud.ActiveDirectoryAuthorityHost == "":
		return wrong("the configuration has no URL that issues tokens")
	}
	return nil
}

// environment returns the variables of the process that have the names of keys of Secrets.
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

// checked converts an error of azidentity to an Error. Such errors concern names of tenants and
// clients, and contain no secrets.
func checked[C azcore.TokenCredential](credential C, err error) (azcore.TokenCredential, error) {
	if err != nil {
		return nil, wrong("%v", err)
	}
	return credential, nil
}

// static is a token from another source.
type static struct {
	token   string
	expires time.Time // zero if it is not known
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

// whileUnknown is how long a token without a known expiry is used.
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

// RefusalOf returns the Error in err; nil if there is none.
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
