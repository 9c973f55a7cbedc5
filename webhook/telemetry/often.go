package telemetry

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// messagesPerSecond is the long-term rate of warnings. An object that cannot be understood is read
// again and again; the metrics count it each time.
const messagesPerSecond = 10

// leftOut counts suppressed warnings.
type leftOut struct{ count atomic.Int64 }

// may reports whether one more warning may be written. If some were suppressed before, it logs how
// many.
func (t *Telemetry) may(ctx context.Context) bool {
	if !t.often.Allow() {
		t.left.count.Add(1)
		return false
	}
	if left := t.left.count.Swap(0); left > 0 {
		t.log.LogAttrs(ctx, slog.LevelWarn, "warnings were left out", slog.Int64("count", left))
	}
	return true
}
