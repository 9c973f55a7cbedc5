package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"time"

	"golang.org/x/time/rate"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/plugin/host"
	providerplugin "github.com/stratakube/strata/operator/plugin/provider"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// Providers maps types to providers.
type Providers struct {
	host    *host.Host
	entries []*Provider
}

// Provider calls a provider plugin within its limits and pauses, and counts each call. Each call
// looks the plugin up in the host, so that a missing plugin may be added later.
type Provider struct {
	entry   Entry
	host    *host.Host
	limiter *rate.Limiter
	timeout time.Duration
	counts  *Counts
	pauses  *pauses
	secret  client.ObjectKey // the Secret with the credentials; empty for the plugin's own
}

// Options configure the calls of providers.
type Options struct {
	// Timeout limits one call; zero means a minute.
	Timeout time.Duration
	// Counts counts calls; nil counts nothing.
	Counts *Counts
}

// Open returns the providers of a host. It starts no plugin.
func Open(h *host.Host, entries []Entry, o Options) *Providers {
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	p := &Providers{host: h}
	for _, e := range entries {
		limit := rate.Inf
		if e.Rate.PerSecond > 0 {
			limit = rate.Limit(e.Rate.PerSecond)
		}
		p.entries = append(p.entries, &Provider{
			entry: e, host: h, timeout: o.Timeout, counts: o.Counts,
			limiter: rate.NewLimiter(limit, max(1, e.Rate.Burst)), pauses: &pauses{},
		})
	}
	return p
}

// For returns the provider of a type: the first entry that matches. Without one it returns an
// [UnavailableError].
func (p *Providers) For(external string) (*Provider, error) {
	for _, one := range p.entries {
		if one.entry.matches(external) {
			return one, nil
		}
	}
	return nil, &UnavailableError{fmt.Errorf("no provider looks after %s: name one in the file of --providers", external)}
}

// Name returns the name of the plugin.
func (p *Provider) Name() string { return p.entry.Name }

// With returns a copy of the provider for calls with the credentials of a Secret. Both share
// their limits and pauses.
func (p *Provider) With(secret client.ObjectKey) *Provider {
	with := *p
	with.secret = secret
	return &with
}

// HasConfigOf reports whether two providers have the same configuration.
func (p *Provider) HasConfigOf(other *Provider) bool {
	return maps.Equal(p.entry.Config, other.entry.Config)
}

// Identify returns the identity of a resource. The plugin calls no external API for it, so that
// the call is neither limited nor counted.
func (p *Provider) Identify(ctx context.Context, in *latest.Subject) (*latest.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	to, err := providerplugin.Get(ctx, p.host, p.entry.Name, p.entry.Config)
	if err != nil {
		return nil, &UnavailableError{err}
	}
	return to.Identify(ctx, in)
}

// Observe reads a resource from the external API.
func (p *Provider) Observe(ctx context.Context, in *latest.Subject) (*v1.Observation, error) {
	out, err := call(ctx, p, "Observe", in, func(ctx context.Context, to providerplugin.Provider) (*v1.ObserveResponse, error) {
		return to.Observe(ctx, in)
	})
	return out.GetObservation(), err
}

// Apply creates or changes a resource.
func (p *Provider) Apply(ctx context.Context, in *latest.ApplyRequest) (*latest.Outcome, error) {
	return call(ctx, p, "Apply", in.GetSubject(), func(ctx context.Context, to providerplugin.Provider) (*latest.Outcome, error) {
		return to.Apply(ctx, in)
	})
}

// Delete deletes a resource.
func (p *Provider) Delete(ctx context.Context, in *latest.Subject) (*latest.Outcome, error) {
	return call(ctx, p, "Delete", in, func(ctx context.Context, to providerplugin.Provider) (*latest.Outcome, error) {
		return to.Delete(ctx, in)
	})
}

// Poll returns the state of an operation.
func (p *Provider) Poll(ctx context.Context, in *latest.OperationRequest) (*latest.Outcome, error) {
	return call(ctx, p, "Poll", in.GetSubject(), func(ctx context.Context, to providerplugin.Provider) (*latest.Outcome, error) {
		return to.Poll(ctx, in)
	})
}

// Cancel asks the external API to cancel an operation.
func (p *Provider) Cancel(ctx context.Context, in *latest.OperationRequest) error {
	_, err := call(ctx, p, "Cancel", in.GetSubject(), func(ctx context.Context, to providerplugin.Provider) (*latest.CancelResponse, error) {
		return to.Cancel(ctx, in)
	})
	return err
}

// call makes one call. The end of ctx does not cancel a call that has begun, since its result
// must be stored. Only the time limit of calls does.
func call[T any](ctx context.Context, p *Provider, method string, about *latest.Subject, do func(context.Context, providerplugin.Provider) (T, error)) (T, error) {
	var none T
	of := tenanciesOf(about, p.secret)
	if err := p.admit(ctx, of); err != nil {
		return none, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.timeout)
	defer cancel()
	to, err := providerplugin.Get(ctx, p.host, p.entry.Name, p.entry.Config)
	if err != nil {
		err = &UnavailableError{err}
		p.counts.call(p.entry.Name, method, err, 0)
		return none, err
	}
	began := time.Now()
	out, err := do(ctx, to)
	p.counts.call(p.entry.Name, method, err, time.Since(began))
	if err != nil && ctx.Err() != nil {
		err = errors.Join(ctx.Err(), err)
	}
	p.learn(of, err)
	return out, err
}

// admit waits for the rate limit. If calls are paused, or the wait would exceed the deadline of
// ctx, it returns a [PausedError] at once.
func (p *Provider) admit(ctx context.Context, of []tenancy) error {
	if until := p.pauses.of(of); !until.IsZero() {
		return &PausedError{Provider: p.entry.Name, Subscription: of[0].subscription, Until: until}
	}
	if err := p.limiter.Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &PausedError{Provider: p.entry.Name, Subscription: of[0].subscription, Until: time.Now().Add(time.Second)}
	}
	return nil
}

// learn pauses further calls if the external API has throttled this one.
func (p *Provider) learn(of []tenancy, err error) {
	if err == nil {
		return
	}
	if f := FailureOf(err); f.Is == latest.Reason_REASON_THROTTLED && f.After > 0 {
		until := time.Now().Add(f.After)
		p.pauses.pause(of, until)
		p.counts.pause(p.entry.Name, of[0].subscription, until)
	}
}

// Jitter returns a random duration below the given one; 0 if that is not positive.
func Jitter(of time.Duration) time.Duration {
	if of <= 0 {
		return 0
	}
	return rand.N(of)
}
