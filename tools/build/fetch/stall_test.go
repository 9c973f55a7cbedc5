package fetch

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestPulse(t *testing.T) {
	for _, c := range []struct {
		reason string
		bytes  int           // in each read
		every  time.Duration // between two reads
		want   string        // the cause of the end, after a minute
	}{
		{"enough in every span", 30, time.Second, ""},
		{"much, and then nothing for nearly a span", 1000, 9 * time.Second, ""},
		{"a trickle", 1, 1100 * time.Millisecond, "stalled: 9 B in 10s"},
		{"a pause longer than a span", 1000, 25 * time.Second, "stalled: 0 B in 10s"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, p := startPulse(context.Background(), 10*time.Second, 100)
				defer p.stop()
				in := p.of(strings.NewReader(strings.Repeat("x", 100_000)))
				for start := time.Now(); time.Since(start) < time.Minute && ctx.Err() == nil; {
					time.Sleep(c.every)
					_, err := io.ReadFull(in, make([]byte, c.bytes))
					check(t, err)
				}
				got := ""
				if ctx.Err() != nil {
					got = context.Cause(ctx).Error()
				}
				if got != c.want {
					t.Errorf("got %q, want %q", got, c.want)
				}
			})
		})
	}
}
