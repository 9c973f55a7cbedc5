package await

import (
	"context"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// interval is the time between two tries.
const interval = 20 * time.Millisecond

// Success calls try until it returns no error, or one that Final made. It stops at the end of the
// context, or after patience if that is not 0. It returns the reason, followed by the error of
// the last try.
func Success(ctx context.Context, patience time.Duration, try func() error) error {
	if patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, patience, fmt.Errorf("not within %s", patience))
		defer cancel()
	}
	var last error
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		last = try()
		return struct{}{}, last
	}, backoff.WithBackOff(backoff.NewConstantBackOff(interval)), backoff.WithMaxElapsedTime(0))
	if err != nil && err == context.Cause(ctx) {
		return fmt.Errorf("%w: %w", err, last)
	}
	return err
}

// Final marks an error that another try would return again. Success returns the error itself.
func Final(err error) error { return backoff.Permanent(err) }
