package v2

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/provider/v1"
)

// adapt uses a provider of version 1. Its calls return when all is done, so that there is never an operation. Of the owners
// it learns nothing but the parent, which stands in the resource.
func adapt(older v1.Provider) Provider { return adapted{older} }

type adapted struct{ older v1.Provider }

// Identify tells nothing: a provider of version 1 knows of a resource only what it has observed.
func (a adapted) Identify(context.Context, *Subject) (*Identity, error) { return &Identity{}, nil }

func (a adapted) Observe(ctx context.Context, in *Subject) (*v1.ObserveResponse, error) {
	return a.older.Observe(ctx, &v1.ObserveRequest{Resource: in.GetResource()})
}

func (a adapted) Apply(ctx context.Context, in *ApplyRequest) (*Outcome, error) {
	out, err := a.older.Apply(ctx, &v1.ApplyRequest{Resource: in.GetSubject().GetResource(), CreateOnly: in.GetCreateOnly()})
	return &Outcome{Observation: out.GetObservation()}, err
}

func (a adapted) Delete(ctx context.Context, in *Subject) (*Outcome, error) {
	_, err := a.older.Delete(ctx, &v1.DeleteRequest{Resource: in.GetResource()})
	return &Outcome{}, err
}

// Poll is called where a newer plugin, which has been replaced by an older one since, began an operation. What has become
// of it can be observed only.
func (a adapted) Poll(ctx context.Context, in *OperationRequest) (*Outcome, error) {
	out, err := a.Observe(ctx, in.GetSubject())
	return &Outcome{Observation: out.GetObservation()}, err
}

// Cancel does nothing: a provider of version 1 has no operations, and none says that it can be cancelled.
func (a adapted) Cancel(context.Context, *OperationRequest) (*CancelResponse, error) {
	return &CancelResponse{}, nil
}
