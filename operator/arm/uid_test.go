package arm_test

import (
	"testing"

	"github.com/stratakube/strata/operator/arm/internal/armtest"
)

// TestTheTimeOfTheCreationStandsForAUID is a table over what resources say of their creation.
func TestTheTimeOfTheCreationStandsForAUID(t *testing.T) {
	for _, test := range []struct{ reason, body, want string }{
		{"a time", `{"name":"ann","systemData":{"createdAt":"2026-01-02T03:04:05.6789Z","lastModifiedAt":"2026-02-02T00:00:00Z"}}`, "2026-01-02T03:04:05.6789Z"},
		{"nothing", `{"name":"ann"}`, ""},
		{"no time of the creation", `{"name":"ann","systemData":{"lastModifiedAt":"2026-02-02T00:00:00Z"}}`, ""},
		{"something else", `{"name":"ann","systemData":{"createdAt":1}}`, ""},
		{"no object", `{"name":"ann","systemData":"2026-01-02T03:04:05Z"}`, ""},
		{"a property of that name", `{"name":"ann","properties":{"systemData":{"createdAt":"2026-01-02T03:04:05Z"}}}`, ""},
	} {
		server := armtest.Start(t, armtest.Say{Call: "GET " + at, Status: 200, Body: test.body})
		out, err := fresh(t, server.URL).Observe(t.Context(), subject())
		if err != nil || out.GetObservation().GetUid() != test.want {
			t.Errorf("%s: the UID is %q (%v), want %q", test.reason, out.GetObservation().GetUid(), err, test.want)
		}
	}
}
