package v3

import (
	"context"
	"testing"

	"github.com/stratakube/strata/operator/plugin"
	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/plugintest"

	"example.com/backup/objectstore/v1"
	"example.com/backup/objectstore/v2"
)

// first is a store of version 1 with one object.
type first struct{ v1.ObjectStore }

func (first) List(context.Context, *v1.ListRequest) (*v1.ListResponse, error) {
	return &v1.ListResponse{Objects: []*v1.Object{{Key: "a", Size: 7}}}, nil
}

// TestAdaptingThroughVersion2LosesSizes compares the version as it is declared with one that has no
// direct adapter.
func TestAdaptingThroughVersion2LosesSizes(t *testing.T) {
	list := func(version *contract.Version[ObjectStore]) (all []*Object) {
		h := plugintest.InMemory(t, func(s *plugin.Server) {
			v1.Register(s, "one", func(context.Context, map[string]string) (v1.ObjectStore, error) { return first{}, nil })
		})
		store := plugintest.Get(t, h, version, "one", nil)
		err := store.List(t.Context(), &v1.ListRequest{}, func(object *Object) error {
			all = append(all, object)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got := list(Version); len(got) != 1 || got[0].Size == nil || got[0].GetSize() != 7 {
		t.Errorf("directly, the list is %v, want a size of 7", got)
	}
	if got := list(define(contract.Adapted(v2.Version, adapt))); len(got) != 1 || got[0].Size != nil {
		t.Errorf("through version 2, the list is %v, want no size", got)
	}
}
