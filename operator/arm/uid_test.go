package arm_test

import (
	"testing"

	"github.com/stratakube/strata/operator/arm/internal/armtest"
)

// TestTheTimeOfTheCreationStandsForAUID is a table over what resources say of their creation.
func TestTheTimeOfTheCreationStandsForAUID(t *testing.T) {
	for _, test := range []struct{ reason, body, want string }{
		{"a time", `{"name":"ann","systemData":{"createdAt":"2026-01-02T03:04:05.6789Z","lastModifiedAt":"2026-02-02T00:00:00Z"}}`, "2026-01-02T03:04:05.6789Z"},
		{"the same with another zone", `{"systemData":{"createdAt":"2026-01-02T05:04:05.6789+02:00"}}`, "2026-01-02T03:04:05.6789Z"},
		{"the same with zeros at its end", `{"systemData":{"createdAt":"2026-01-02T03:04:05.6789000Z"}}`, "2026-01-02T03:04:05.6789Z"},
		{"the same without a zone", `{"systemData":{"createdAt":"2026-01-02T03:04:05.6789000"}}`, "2026-01-02T03:04:05.6789Z"},
		{"the same with blanks", `{"systemData":{"createdAt":" 2026-01-02T03:04:05.6789Z "}}`, "2026-01-02T03:04:05.6789Z"},
		{"whole seconds", `{"systemData":{"createdAt":"2026-01-02T03:04:05.0000000Z"}}`, "2026-01-02T03:04:05Z"},
		{"the time that stands for none", `{"systemData":{"createdAt":"0001-01-01T00:00:00Z"}}`, ""},
		{"no such day", `{"systemData":{"createdAt":"2026-02-30T00:00:00Z"}}`, ""},
		{"a day alone", `{"systemData":{"createdAt":"2026-01-02"}}`, ""},
		{"a text that is no time", `{"systemData":{"createdAt":"today"}}`, ""},
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

// TestTheEntityTagOfABodyIsChecked has services answer with entity tags that no header can carry.
func TestTheEntityTagOfABodyIsChecked(t *testing.T) {
	for _, test := range []struct{ reason, header, body, want string }{
		{"one in the body", "", `{"name":"ann","etag":"W/\"1\""}`, `W/"1"`},
		{"one in the header", `ETag: "2"`, `{"name":"ann","etag":"W/\"1\""}`, `"2"`},
		{"a line of its own in the body", "", `{"name":"ann","etag":"1\r\nX-Evil: 1"}`, ""},
		{"a star in the header", "ETag: *", `{"name":"ann"}`, ""},
		{"what is no UTF-8 in the header", "ETag: \"\xff\"", `{"name":"ann"}`, ""},
	} {
		server := armtest.Start(t, armtest.Say{Call: "GET " + at, Status: 200, Header: test.header, Body: test.body})
		out, err := fresh(t, server.URL).Observe(t.Context(), subject())
		if err != nil || out.GetObservation().GetEtag() != test.want {
			t.Errorf("%s: the entity tag is %q (%v), want %q", test.reason, out.GetObservation().GetEtag(), err, test.want)
		}
	}
}
