package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// tenancy is the unit in which an external API throttles: calls with the same credentials in the
// same subscription. Other calls continue.
type tenancy struct {
	credentials  string // a digest, which never leaves this process
	subscription string
}

var subscriptionOf = regexp.MustCompile(`(?i)^/subscriptions/([^/]{1,64})(?:/|$)`)

// subscriptionKey is the key of the subscription in credentials. It is used for resources whose
// place names no subscription.
const subscriptionKey = "AZURE_SUBSCRIPTION_ID"

// NamesSubscription reports whether an identifier contains a subscription.
func NamesSubscription(id string) bool { return subscriptionOf.MatchString(id) }

// tenanciesOf returns the tenancies that a throttled call pauses. The first one has the
// credentials as they are. If they contain the credential of a client, the second one has the
// other values and the Secret. So a new credential of that client does not end the pause.
func tenanciesOf(in *latest.Subject, from client.ObjectKey) []tenancy {
	r := in.GetResource()
	values, subscription := r.GetCredentials().GetValues(), ""
	for _, id := range []string{r.GetId(), r.GetPlace().GetParent(), "/subscriptions/" + string(values[subscriptionKey])} {
		if found := subscriptionOf.FindStringSubmatch(id); found != nil {
			subscription = strings.ToValidUTF8(strings.ToLower(found[1]), "")
			break
		}
	}
	source := r.GetCredentials().GetSource()
	all := []tenancy{{source + identifying(values, from), subscription}}
	if client := without(values, clientCredentials...); len(client) < len(values) && from.Name != "" {
		all = append(all, tenancy{source + digestOf(client, from), subscription})
	}
	return all
}

// clientCredentials are the keys of the credentials by which clients authenticate.
var clientCredentials = []string{"AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE", "AZURE_CLIENT_CERTIFICATE_PASSWORD"}

// identifying returns a digest that identifies credentials. Tokens change often, and a
// credentials plugin may return another one for each object: the name of the Secret replaces
// them. A token that is in no Secret is part of the digest, unless there are values other than a
// subscription.
func identifying(values map[string][]byte, from client.ObjectKey) string {
	stable := without(values, keyToken, keyExpires)
	if _, hasToken := values[keyToken]; !hasToken {
		from = client.ObjectKey{}
	} else if _, names := stable[subscriptionKey]; from.Name == "" && (len(stable) == 0 || names && len(stable) == 1) {
		stable[keyToken] = values[keyToken]
	}
	return digestOf(stable, from)
}

// digestOf returns a digest of values and of the Secret that they are from.
func digestOf(values map[string][]byte, from client.ObjectKey) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q", from.String())
	for _, key := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(h, "%d:%s%d:%s", len(key), key, len(values[key]), values[key])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// pauses stores until when the operator makes no calls, by tenancy. Its zero value is empty and
// ready.
type pauses struct {
	mu    sync.Mutex
	until map[tenancy]time.Time
}

// maxPauses is the maximum number of stored pauses. Beyond that the operator makes the calls, and
// the external API refuses them.
const maxPauses = 10000

// of returns until when calls are paused; the zero time if they are not.
func (p *pauses) of(all []tenancy) (until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range all {
		if one := p.until[t]; time.Now().Before(one) && one.After(until) {
			until = one
		}
	}
	return until
}

// pause pauses calls until a time, unless they are paused for longer already.
func (p *pauses) pause(all []tenancy, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.until, func(_ tenancy, until time.Time) bool { return !time.Now().Before(until) })
	if p.until == nil {
		p.until = map[tenancy]time.Time{}
	}
	for _, t := range all {
		if until.After(p.until[t]) && len(p.until) < maxPauses {
			p.until[t] = until
		}
	}
}
