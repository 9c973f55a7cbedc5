package provider_test

import (
	"testing"

	"github.com/stratakube/strata/operator/provider"
)

// TestGoesOn has states that resources of Azure report.
func TestGoesOn(t *testing.T) {
	for _, running := range []string{
		"Creating", "updating", "Deleting", "Running", "Accepted", "InProgress", "Pending", "ResolvingDNS", "ConfiguringAAD", "Preprovisioning",
	} {
		if !provider.GoesOn(running) {
			t.Errorf("%s: the change is over", running)
		}
	}
	for _, over := range []string{
		"Failed", "failed", "Canceled", "Cancelled", "Unknown", "Disconnected", "Incomplete", "Invalid", "Rejected", "RecoveringScaleFailure",
		"MigrationFailed", "Warning", "NotSpecified", "Disabled", "",
	} {
		if provider.GoesOn(over) {
			t.Errorf("%s: the change goes on", over)
		}
	}
}
