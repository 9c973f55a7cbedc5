package rewrite

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// page lists the metadata of a page. If the page cannot be converted to the version, page lists a
// single object, through each version in turn: the version in which the object is stored shows it
// without a conversion.
func (r *run) page(ctx context.Context, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	var list *metav1.PartialObjectMetadataList
	err := r.retry(ctx, func() (err error) {
		list, err = r.list(ctx, r.Resource.Version, options)
		return err
	})
	for limit := options.Limit / 2; err != nil && isConversion(err) && limit > 0; limit /= 2 {
		options.Limit = limit
		list, err = r.list(ctx, r.Resource.Version, options)
	}
	for _, version := range r.Others {
		if err == nil || !isConversion(err) {
			break
		}
		list, err = r.list(ctx, version, options)
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", r.Resource.GroupResource(), err)
	}
	return list, nil
}

// isConversion reports whether a list fails because of one of its objects. The API server answers
// 500 then.
func isConversion(err error) bool { return apierrors.IsInternalError(err) }

// list lists metadata in one version. It continues an expired list at the place where it was: the
// objects that were created since are stored in the storage version.
func (r *run) list(ctx context.Context, version string, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	client := r.Client.Resource(r.Resource.GroupResource().WithVersion(version))
	list, err := client.List(ctx, options)
	var status apierrors.APIStatus
	if apierrors.IsResourceExpired(err) && errors.As(err, &status) && status.Status().ListMeta.Continue != "" {
		options.Continue = status.Status().ListMeta.Continue
		return client.List(ctx, options)
	}
	return list, err
}
