package v2_test

import (
	"context"
	"testing"

	"github.com/stratakube/strata/operator/plugin"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	"github.com/stratakube/strata/operator/plugin/provider"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// old is a provider of version 1 that was built before the field last_change.
type old struct{}

func (old) observation() *v1.Observation {
	return &v1.Observation{Exists: true, Facts: []*v1.Fact{{Type: "Provisioned", Truth: v1.Truth_TRUTH_FALSE, Reason: "Updating"}}}
}

func (o old) Observe(context.Context, *v1.ObserveRequest) (*v1.ObserveResponse, error) {
	return &v1.ObserveResponse{Observation: o.observation()}, nil
}

func (o old) Apply(context.Context, *v1.ApplyRequest) (*v1.ApplyResponse, error) {
	return &v1.ApplyResponse{Observation: o.observation()}, nil
}

func (old) Delete(context.Context, *v1.DeleteRequest) (*v1.DeleteResponse, error) {
	return &v1.DeleteResponse{}, nil
}

// TestChangesOfVersion1 calls a provider of version 1 through the host. Version 2 has a field for
// the state that its condition reports.
func TestChangesOfVersion1(t *testing.T) {
	h := plugintest.InMemory(t, func(s *plugin.Server) {
		v1.Register(s, "example.com/old", func(context.Context, map[string]string) (v1.Provider, error) { return old{}, nil })
	})
	p := plugintest.Get(t, h, provider.Latest, "example.com/old", nil)
	subject := &v2.Subject{Resource: &v1.Resource{}}
	observed, err := p.Observe(t.Context(), subject)
	if err != nil {
		t.Fatal(err)
	}
	applied, err := p.Apply(t.Context(), &v2.ApplyRequest{Subject: subject})
	if err != nil {
		t.Fatal(err)
	}
	polled, err := p.Poll(t.Context(), &v2.OperationRequest{Subject: subject})
	if err != nil {
		t.Fatal(err)
	}
	for method, seen := range map[string]*v1.Observation{
		"Observe": observed.GetObservation(), "Apply": applied.GetObservation(), "Poll": polled.GetObservation(),
	} {
		if seen.GetLastChange() != v1.Change_CHANGE_RUNNING {
			t.Errorf("%s returns %v", method, seen)
		}
	}
}
