package pages

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Each lists page after page, and calls visit with each. If the API server has removed the state of
// the first page meanwhile, the list goes on with the present state.
func Each[L metav1.ListInterface](
	ctx context.Context, options metav1.ListOptions, list func(context.Context, metav1.ListOptions) (L, error), visit func(L, metav1.ListOptions) error,
) error {
	for {
		page, err := list(ctx, options)
		if next := Expired(err); next != "" && next != options.Continue {
			options.Continue = next
			continue
		}
		if err != nil {
			return err
		}
		if err := visit(page, options); err != nil {
			return err
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return nil
		}
	}
}

// Expired returns where a list goes on whose state the API server has removed. Of another error it
// returns nothing.
func Expired(err error) string {
	var status apierrors.APIStatus
	if !apierrors.IsResourceExpired(err) || !errors.As(err, &status) {
		return ""
	}
	return status.Status().ListMeta.Continue
}
