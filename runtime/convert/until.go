package convert

import (
	"context"
	"errors"

	"github.com/stratakube/strata/runtime/internal/watch"
)

// Until calls the ConvertTo or ConvertFrom of an API object, a pointer, and ends it when ctx is
// done: while hidden values are written or restored. The object that the method fills is of no use
// if Until returns the error of ctx.
func Until(ctx context.Context, object any, convert func() error) error {
	w := watch.New(ctx)
	defer w.Attach(object)()
	err := convert()
	return errors.Join(ctx.Err(), err)
}
