package main

import (
	"context"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/stratakube/strata/operator/plugin"
	credentialsv2 "github.com/stratakube/strata/operator/plugin/credentials/v2"
	providerv1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	providerv2 "github.com/stratakube/strata/operator/plugin/provider/v2"
)

func init() {
	versions["provider.v2"] = func(s *plugin.Server, name string) { providerv2.Register(s, name, openV2) }
	versions["credentials.v2"] = func(s *plugin.Server, name string) { credentialsv2.Register(s, name, openSource2) }
}

// v2 does the same as v1, and begins an operation for the type "slow".
type v2 struct{ older v1 }

func openV2(ctx context.Context, config map[string]string) (providerv2.Provider, error) {
	older, err := openV1(ctx, config)
	if err != nil {
		return nil, err
	}
	return v2{older.(v1)}, nil
}

func (p v2) act(ctx context.Context, r *providerv1.Resource, owners []*providerv2.Owner) (*providerv1.Observation, error) {
	if why, ok := strings.CutPrefix(r.GetType(), "throttled "); ok {
		return nil, providerv2.Fail(&providerv2.Failure{
			Reason: providerv2.Reason_REASON_THROTTLED, Message: why, RetryAfter: durationpb.New(7 * time.Second), Code: "TooManyRequests",
		})
	}
	o, err := p.older.act(ctx, r)
	for _, owner := range owners {
		o.Facts = append(o.Facts, &providerv1.Fact{Type: "Owner", Message: owner.GetId()})
	}
	return o, err
}

func (p v2) Identify(_ context.Context, in *providerv2.Subject) (*providerv2.Identity, error) {
	return &providerv2.Identity{Id: "/" + in.GetResource().GetPlace().GetName()}, nil
}

func (p v2) Observe(ctx context.Context, in *providerv2.Subject) (*providerv1.ObserveResponse, error) {
	o, err := p.act(ctx, in.GetResource(), in.GetOwners())
	return &providerv1.ObserveResponse{Observation: o}, err
}

func (p v2) Apply(ctx context.Context, in *providerv2.ApplyRequest) (*providerv2.Outcome, error) {
	o, err := p.act(ctx, in.GetSubject().GetResource(), in.GetSubject().GetOwners())
	if in.GetSubject().GetResource().GetType() == "slow" {
		return &providerv2.Outcome{Operation: &providerv2.Operation{Handle: "1", CanCancel: true}}, nil
	}
	return &providerv2.Outcome{Observation: o}, err
}

func (p v2) Delete(ctx context.Context, in *providerv2.Subject) (*providerv2.Outcome, error) {
	_, err := p.act(ctx, in.GetResource(), in.GetOwners())
	return &providerv2.Outcome{}, err
}

// Poll advances by a third each time, and stores the progress in the handle.
func (p v2) Poll(_ context.Context, in *providerv2.OperationRequest) (*providerv2.Outcome, error) {
	done := len(in.GetOperation().GetHandle())
	if done == 3 {
		return &providerv2.Outcome{Observation: &providerv1.Observation{Exists: true}}, nil
	}
	return &providerv2.Outcome{Operation: &providerv2.Operation{
		Handle: strings.Repeat("1", done+1), Percent: uint32(33 * done), PollAfter: durationpb.New(time.Second), CanCancel: true,
	}}, nil
}

func (p v2) Cancel(context.Context, *providerv2.OperationRequest) (*providerv2.CancelResponse, error) {
	return &providerv2.CancelResponse{}, nil
}

type source2 struct{}

func openSource2(context.Context, map[string]string) (credentialsv2.Source, error) {
	return source2{}, nil
}

func (source2) Token(_ context.Context, in *credentialsv2.TokenRequest) (*credentialsv2.TokenResponse, error) {
	return &credentialsv2.TokenResponse{Token: "token of " + in.GetNamespace()}, nil
}
