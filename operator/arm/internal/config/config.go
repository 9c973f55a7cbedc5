package config

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"

	// It registers the endpoints of the public clouds.
	_ "github.com/Azure/azure-sdk-for-go/sdk/azcore/arm/runtime"

	"github.com/stratakube/strata/operator/arm/internal/armid"
)

// Config is a checked configuration.
type Config struct {
	Cloud cloud.Configuration
	// Endpoint is the URL of ARM, without a slash at its end.
	Endpoint *url.URL
	// IsPrivate reports whether the host that issues tokens is not that of a public cloud. It is
	// trusted because the configuration names it.
	IsPrivate bool
	// Anonymous means that calls have no token if the resource has no credentials.
	Anonymous bool
	// Tenant and Client are the defaults for credentials that do not name them.
	Tenant, Client string
	// Parent is the parent of top-level resources without an owner.
	Parent armid.ID
	// Subscription is the subscription of resource groups without an owner.
	Subscription string
	// Mark is the name of the tag that identifies the object of a resource; empty for none.
	Mark string
}

// Keys returns the keys of a configuration, with their descriptions.
func Keys() map[string]string {
	return map[string]string{
		"cloud":        "public, usgovernment, china or custom",
		"endpoint":     "the URL of ARM",
		"audience":     "for whom tokens are asked",
		"authority":    "the URL of who gives tokens",
		"tenant":       "the tenant of credentials that name none",
		"client":       "the client of credentials that name none",
		"credentials":  "default, or none for a simulator",
		"parent":       "the parent of top-level resources without an owner",
		"subscription": "the subscription of resource groups without an owner",
		"mark":         "the name of the tag that identifies the object of a resource; without it, no tag is written",
	}
}

// Parse checks a configuration, and reports all errors in it.
func Parse(values map[string]string) (*Config, error) {
	p := &parser{values: values, config: &Config{Tenant: values["tenant"], Client: values["client"]}}
	p.keys()
	p.cloud()
	p.credentials()
	p.scope()
	p.mark()
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return p.config, nil
}

type parser struct {
	values map[string]string
	config *Config
	errs   []error
}

func (p *parser) wrong(format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf(format, args...))
}

func (p *parser) keys() {
	known := slices.Sorted(maps.Keys(Keys()))
	for _, key := range slices.Sorted(maps.Keys(p.values)) {
		if !slices.Contains(known, key) {
			p.wrong("configuration: there is no %q, only %s", key, strings.Join(known, ", "))
		}
	}
}

var clouds = map[string]cloud.Configuration{
	"":             cloud.AzurePublic,
	"public":       cloud.AzurePublic,
	"usgovernment": cloud.AzureGovernment,
	"china":        cloud.AzureChina,
	"custom":       {},
}

func (p *parser) cloud() {
	name := p.values["cloud"]
	base, ok := clouds[name]
	if !ok {
		p.wrong("configuration: cloud %q: want %s", name, Keys()["cloud"])
		return
	}
	manager := base.Services[cloud.ResourceManager]
	endpoint, audience, tokens := or(p.values["endpoint"], manager.Endpoint), p.values["audience"], or(p.values["authority"], base.ActiveDirectoryAuthorityHost)
	if audience == "" {
		if audience = manager.Audience; audience == "" || p.values["endpoint"] != "" && name == "custom" {
			audience = strings.TrimSuffix(endpoint, "/")
		}
	}
	if endpoint == "" {
		p.wrong("configuration: cloud custom needs an endpoint")
		return
	}
	p.config.Endpoint = p.url("endpoint", endpoint, true)
	if tokens != "" {
		p.url("authority", tokens, false)
	}
	p.config.IsPrivate = name == "custom" || p.values["authority"] != ""
	p.config.Cloud = cloud.Configuration{
		ActiveDirectoryAuthorityHost: tokens,
		Services: map[cloud.ServiceName]cloud.ServiceConfiguration{
			cloud.ResourceManager: {Endpoint: endpoint, Audience: strings.TrimSuffix(audience, "/.default")},
		},
	}
}

// url checks a URL. It must be https, or http on this machine if that is allowed.
func (p *parser) url(key, text string, httpAllowed bool) *url.URL {
	u, err := url.Parse(strings.TrimSuffix(text, "/"))
	switch {
	case err != nil:
		p.wrong("configuration: %s: %w", key, err)
	case u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		p.wrong("configuration: %s %q: want a URL as https://host", key, u.Redacted())
	case u.Scheme == "http" && httpAllowed && isLoopback(u.Hostname()), u.Scheme == "https":
	case u.Scheme == "http" && httpAllowed:
		p.wrong("configuration: %s %q: http is for 127.0.0.1, ::1 and localhost only, others can read along", key, text)
	default:
		p.wrong("configuration: %s %q: want https", key, text)
	}
	return u
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (p *parser) credentials() {
	switch p.values["credentials"] {
	case "", "default":
	case "none":
		p.config.Anonymous = true
	default:
		p.wrong("configuration: credentials %q: want default or none", p.values["credentials"])
	}
}

func (p *parser) scope() {
	parent, err := armid.Parse(p.values["parent"])
	if err != nil {
		p.wrong("configuration: parent: %w", err)
		return
	}
	p.config.Parent, p.config.Subscription = parent, or(p.values["subscription"], parent.Subscription())
	if s := p.config.Subscription; s != "" {
		if _, err := armid.Of(armid.Subscription, armid.ID{}, s); err != nil {
			p.wrong("configuration: subscription: %w", err)
		}
	}
}

// longestTag is the maximum length of a tag name that all types allow.
const longestTag = 128

func (p *parser) mark() {
	name := p.values["mark"]
	if len(name) > longestTag || strings.ContainsAny(name, `<>%&\?/ `) {
		p.wrong("configuration: mark %q: want the name of a tag, of up to %d characters without blanks and <>%%&\\?/", name, longestTag)
		return
	}
	p.config.Mark = name
}

func or(given, otherwise string) string {
	if given != "" {
		return given
	}
	return otherwise
}
