package webhook_test

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/stratakube/strata/tools/bench/webhook"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

func TestMain(m *testing.M) { labtest.Main(m) }

var open = sync.OnceValues(func() (*webhook.Contest, error) {
	l, err := labtest.Open()
	if err != nil {
		return nil, err
	}
	c, err := webhook.Open(context.Background(), l)
	if err == nil {
		labtest.AtEnd(c.Close)
	}
	return c, err
})

func opened(t *testing.T) *webhook.Contest {
	t.Helper()
	labtest.WithSchemas(t)
	c, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestBenchmarksDoSameWork: all engines give the same values, and plans refuse none of the
// objects.
func TestBenchmarksDoSameWork(t *testing.T) {
	tier.Long(t, "compiles what other projects convert with")
	if err := opened(t).Check(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestPlansAreFarCheaperThanTheirPeer requires half of the ratio that is reached on a quiet
// machine.
func TestPlansAreFarCheaperThanTheirPeer(t *testing.T) {
	const least = 12
	if os.Getenv("STRATA_CORPUS") == "" {
		t.Skip("needs STRATA_CORPUS=1: measures 500 objects in one review")
	}
	rows, err := opened(t).Measure(t.Context(), "^in process/500/6000/3-steps/(up|down)$", 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 {
		t.Fatalf("%d cases were measured", len(rows))
	}
	for _, row := range rows {
		if row.Ratio[webhook.Peer] < least {
			t.Errorf("up %v: the peer takes %.1f times as much, want at least %d", row.Up, row.Ratio[webhook.Peer], least)
		}
	}
}
