package operator_test

import (
	"testing"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/bench/operator"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

func TestMain(m *testing.M) { shared.Main(m) }

// TestBudgets bounds the cost of a resource: four writes and three reconciles, and nothing for an
// unchanged resource.
func TestBudgets(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	tier.Long(t, "makes 300 resources ready")
	resources := tier.IfSoak(300, 1000)
	r := open(t, shared.Of(t))
	f, err := operator.Run(t.Context(), r, resources, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + operator.Page(f))
	for _, test := range []struct {
		reason    string
		got, most int
	}{
		{"reconciles", f.First.Reconciles, 3 * resources},
		{"writes", f.First.WritesInAll(), 4 * resources},
		{"PUTs to the external API", f.First.ExternalCalls["PUT"], resources},
		{"reconciles of the second pass, of which a few may be tried again", f.Second.Reconciles, resources + 20},
		{"writes of the second pass", f.Second.WritesInAll(), 0},
		{"PUTs of the second pass", f.Second.ExternalCalls["PUT"], 0},
	} {
		if test.got > test.most {
			t.Errorf("%s: %d, want at most %d", test.reason, test.got, test.most)
		}
	}
	if f.First.ExternalCalls["PUT"] < resources || f.Second.Reconciles < resources {
		t.Errorf("not everything was looked after: %+v", f)
	}
}

// open starts an environment of the worked example, on a cluster of its own if that is nil.
func open(t *testing.T, cluster *apiserver.Cluster) *env.Env {
	t.Helper()
	programs, err := env.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r, err := env.Open(t.Context(), env.Options{
		Programs: programs, Definitions: "../../../operator/api/crds", Cluster: cluster,
		Simulator: armsim.Options{Schemas: []string{"../../../schemas/crm"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := r.Define(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}
