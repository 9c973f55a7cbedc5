// Package v1 has the webhooks of the version v1.
package v1

import (
	ctrl "sigs.k8s.io/controller-runtime"

	shopv1 "example.com/bookshop/api/v1"
)

// SetupBookWebhookWithManager registers the conversions of books.
func SetupBookWebhookWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &shopv1.Book{}).Complete()
}
