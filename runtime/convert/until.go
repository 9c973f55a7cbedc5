package convert

import (
	"context"
	"errors"

	"github.com/stratakube/strata/runtime/internal/watch"
)

// Until calls convert, which must call the ConvertTo or ConvertFrom method of object, a pointer
// to an API object. When ctx is done, the method ends early while it writes or restores hidden
// values. If Until returns the error of ctx, the destination of the method must not be used.
func Until(ctx context.Context, object any, convert func() error) error {
	w := watch.New(ctx)
	defer w.Attach(object)()
	err := convert()
	return errors.Join(ctx.Err(), err)
}
