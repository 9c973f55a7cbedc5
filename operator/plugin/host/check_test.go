package host_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	"github.com/stratakube/strata/operator/plugin/provider"
)

// TestCheck starts all plugins. The error names one that does not answer, or does not start.
func TestCheck(t *testing.T) {
	h := plugintest.Open(t, options(plugin("-serve=provider.v1=a"), plugin("-serve=provider.v1=b")))
	if err := h.Check(within(t)); err != nil {
		t.Fatal(err)
	}
	if served, running := h.Served(), children(); len(served) != 2 || len(running) != 2 {
		t.Errorf("%v are served by %v", served, running)
	}
	freeze(t, pid(t, get(t, h, "b")))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err := h.Check(ctx)
	if !errors.As(err, new(*host.StartError)) {
		t.Errorf("error = %v, want a StartError", err)
	}
	contains(t, err, "ask for health")
	broken := plugintest.Open(t, options(plugin("-start=crash")))
	contains(t, broken.Check(within(t)), "it ended before the handshake (exit status 3: no disk)")
}

func TestDigestsAreListed(t *testing.T) {
	locked, err := host.Lock(copied(t))
	if err != nil {
		t.Fatal(err)
	}
	locked.Args = []string{"-serve=provider.v2=a"}
	rows, err := plugintest.Open(t, options(plugin("-serve=provider.v2=b"), locked)).List(t.Context(), provider.Latest)
	if err != nil || len(rows) != 2 {
		t.Fatalf("got %+v, %v", rows, err)
	}
	if rows[0].Digest != locked.Digest || rows[0].Path != locked.Path || rows[1].Digest != "" || rows[1].Path != built.program() {
		t.Errorf("got %+v, want the digest of the one that is locked", rows)
	}
}
