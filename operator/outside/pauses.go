package outside

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

	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// tenancy is what an external API throttles: calls with the same credentials, in the same subscription. The calls of others
// go on.
type tenancy struct {
	credentials  string // a digest that never leaves this process
	subscription string
}

var subscriptionOf = regexp.MustCompile(`(?i)^/subscriptions/([^/]{1,64})(?:/|$)`)

// subscriptionKey is that of credentials, for resources whose place does not name a subscription.
const subscriptionKey = "AZURE_SUBSCRIPTION_ID"

func tenancyOf(in *latest.Subject) tenancy {
	r := in.GetResource()
	values := r.GetCredentials().GetValues()
	h := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(h, "%d:%s%d:%s", len(key), key, len(values[key]), values[key])
	}
	of := tenancy{credentials: r.GetCredentials().GetSource() + hex.EncodeToString(h.Sum(nil))}
	for _, id := range []string{r.GetId(), r.GetPlace().GetParent(), "/subscriptions/" + string(values[subscriptionKey])} {
		if found := subscriptionOf.FindStringSubmatch(id); found != nil {
			of.subscription = strings.ToValidUTF8(strings.ToLower(found[1]), "")
			break
		}
	}
	return of
}

// pauses are until when no calls are made, by what is throttled. Their zero value is empty and ready.
type pauses struct {
	mu    sync.Mutex
	until map[tenancy]time.Time
}

// maxPauses is how many pauses are remembered at a time. More are not: their calls are refused by the API itself.
const maxPauses = 10000

// of returns until when calls are paused; the zero time where they are not.
func (p *pauses) of(t tenancy) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := p.until[t]; time.Now().Before(until) {
		return until
	}
	return time.Time{}
}

// pause pauses calls, unless they are paused for longer.
func (p *pauses) pause(t tenancy, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.until, func(_ tenancy, until time.Time) bool { return !time.Now().Before(until) })
	if p.until == nil {
		p.until = map[tenancy]time.Time{}
	}
	if until.After(p.until[t]) && len(p.until) < maxPauses {
		p.until[t] = until
	}
}
