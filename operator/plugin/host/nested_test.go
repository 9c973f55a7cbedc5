package host_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stratakube/strata/operator/plugin/host"
	depotv3 "github.com/stratakube/strata/operator/plugin/internal/depot/v3"
	"github.com/stratakube/strata/operator/plugin/plugintest"
)

// TestPluginUsesAnother uses a plugin that is the host of another one, which sends through it.
func TestPluginUsesAnother(t *testing.T) {
	var log plugintest.Log
	s := depots(t, 3, func(o *host.Options) { o.Log = log.Logger() })
	inner := "through " + built.program() + " "
	if size, err := drain(t.Context(), s, item(inner+"fill", 3<<20)); err != nil || size != 3<<20 {
		t.Errorf("got %d bytes, %v, want 3 MiB", size, err)
	}
	_, err := drain(t.Context(), s, item(inner+"fail", 5))
	contains(t, err, "example.depot example.com/one v3: Fetch: ", "example.depot example.com/inner v3: Fetch: no more")

	_, err = drain(t.Context(), s, item(inner+"die", 5))
	if contains(t, err, "ended during the call: exit status 5"); errors.As(err, new(*host.InterruptedError)) {
		t.Errorf("error = %v: the plugin that answered has not ended", err)
	}
	if size, err := drain(t.Context(), s, item(inner+"fill", 7)); err != nil || size != 7 {
		t.Errorf("after the other plugin has ended, got %d bytes, %v", size, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	err = s.Fetch(ctx, item(inner+"fill", -1), func(*depotv3.Piece) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want that the call was cancelled", err)
	}
	logged(t, &log, `sent \d+ (pieces)`) // by the inner plugin, which was told too

	outer := children()
	all := running(t)
	if len(outer) != 1 || len(all) != 2 {
		t.Fatalf("%v run, of them %v below this process, want two and one", all, outer)
	}
	if err := kill(outer[0]); err != nil {
		t.Fatal(err)
	}
	for _, pid := range all {
		gone(t, pid)
	}
	if i := slices.Index(all, outer[0]); i < 0 {
		t.Errorf("%v lacks %d", all, outer[0])
	}
}
