package v1_test

import (
	"testing"

	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
)

// TestLastChange is a table over reports of providers. Those that were built before the field
// existed use a condition.
func TestLastChange(t *testing.T) {
	provisioned := func(truth v1.Truth, reason string) *v1.Observation {
		return &v1.Observation{Exists: true, Facts: []*v1.Fact{{Type: "Other", Truth: v1.Truth_TRUTH_FALSE}, {Type: "Provisioned", Truth: truth, Reason: reason}}}
	}
	reports := func(change v1.Change, reason string) *v1.Observation {
		seen := provisioned(v1.Truth_TRUTH_FALSE, reason)
		seen.LastChange = change
		return seen
	}
	for _, test := range []struct {
		reason string
		seen   *v1.Observation
		want   v1.Change
	}{
		{"no resource", nil, v1.Change_CHANGE_UNSPECIFIED},
		{"no condition", &v1.Observation{Exists: true}, v1.Change_CHANGE_UNSPECIFIED},
		{"a condition that is unknown", provisioned(v1.Truth_TRUTH_UNSPECIFIED, "Updating"), v1.Change_CHANGE_UNSPECIFIED},
		{"success", provisioned(v1.Truth_TRUTH_TRUE, "Updating"), v1.Change_CHANGE_SUCCEEDED},
		{"the field before the condition", reports(v1.Change_CHANGE_FAILED, "Updating"), v1.Change_CHANGE_FAILED},
		{"the field before the condition", reports(v1.Change_CHANGE_RUNNING, "Failed"), v1.Change_CHANGE_RUNNING},
		{"a deletion", provisioned(v1.Truth_TRUTH_FALSE, "deleting"), v1.Change_CHANGE_DELETING},
		{"a change", provisioned(v1.Truth_TRUTH_FALSE, "Updating"), v1.Change_CHANGE_RUNNING},
		{"a name with ing in it", provisioned(v1.Truth_TRUTH_FALSE, "ResolvingDNS"), v1.Change_CHANGE_RUNNING},
		{"a name of the list", provisioned(v1.Truth_TRUTH_FALSE, "InProgress"), v1.Change_CHANGE_RUNNING},
		{"a failure", provisioned(v1.Truth_TRUTH_FALSE, "Failed"), v1.Change_CHANGE_FAILED},
		{"a failure with ing in it", provisioned(v1.Truth_TRUTH_FALSE, "RecoveringScaleFailure"), v1.Change_CHANGE_FAILED},
		{"a warning", provisioned(v1.Truth_TRUTH_FALSE, "Warning"), v1.Change_CHANGE_FAILED},
		{"a name that nobody knows", provisioned(v1.Truth_TRUTH_FALSE, "Disconnected"), v1.Change_CHANGE_FAILED},
	} {
		if got := v1.LastChange(test.seen); got != test.want {
			t.Errorf("%s: the last change is %v, want %v", test.reason, got, test.want)
		}
	}
}
