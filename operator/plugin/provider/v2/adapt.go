package v2

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/provider/v1"
)

// adapt adapts a provider of version 1. Its calls return when they are complete, so that there are
// no operations. Of the owners it receives only the parent, which is part of the resource.
func adapt(older v1.Provider) Provider { return adapted{older} }

type adapted struct{ older v1.Provider }

// Identify returns an empty identity: a provider of version 1 can identify a resource only by an
// observation.
func (a adapted) Identify(context.Context, *Subject) (*Identity, error) { return &Identity{}, nil }

func (a adapted) Observe(ctx context.Context, in *Subject) (*v1.ObserveResponse, error) {
	out, err := a.older.Observe(ctx, &v1.ObserveRequest{Resource: in.GetResource()})
	return &v1.ObserveResponse{Observation: completed(out.GetObservation())}, err
}

func (a adapted) Apply(ctx context.Context, in *ApplyRequest) (*Outcome, error) {
	out, err := a.older.Apply(ctx, &v1.ApplyRequest{Resource: in.GetSubject().GetResource(), CreateOnly: in.GetCreateOnly()})
	return &Outcome{Observation: completed(out.GetObservation())}, err
}

// completed sets what version 2 requires in an observation of version 1.
func completed(seen *v1.Observation) *v1.Observation {
	if seen != nil {
		seen.LastChange = v1.LastChange(seen)
	}
	return seen
}

func (a adapted) Delete(ctx context.Context, in *Subject) (*Outcome, error) {
	_, err := a.older.Delete(ctx, &v1.DeleteRequest{Resource: in.GetResource()})
	return &Outcome{}, err
}

// Poll is called if a newer version of the plugin began an operation and was replaced by this one.
// The result can only be observed.
func (a adapted) Poll(ctx context.Context, in *OperationRequest) (*Outcome, error) {
	out, err := a.Observe(ctx, in.GetSubject())
	return &Outcome{Observation: out.GetObservation()}, err
}

// Cancel does nothing: a provider of version 1 has no operations.
func (a adapted) Cancel(context.Context, *OperationRequest) (*CancelResponse, error) {
	return &CancelResponse{}, nil
}
