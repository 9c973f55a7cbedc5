package arm_test

import (
	"testing"

	"github.com/stratakube/strata/operator/arm/internal/armtest"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
)

// TestTimeOfCreationStandsForAUID is a table over the ways in which resources report their
// creation.
func TestTimeOfCreationStandsForAUID(t *testing.T) {
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
		server := armtest.Start(t, armtest.Exchange{Call: "GET " + at, Status: 200, Body: test.body})
		out, err := fresh(t, server.URL).Observe(t.Context(), subject())
		if err != nil || out.GetObservation().GetUid() != test.want {
			t.Errorf("%s: the UID is %q (%v), want %q", test.reason, out.GetObservation().GetUid(), err, test.want)
		}
	}
}

// TestEntityTagOfBodyIsChecked covers services that return entity tags which no header
// allows.
func TestEntityTagOfBodyIsChecked(t *testing.T) {
	for _, test := range []struct{ reason, header, body, want string }{
		{"one in the body", "", `{"name":"ann","etag":"W/\"1\""}`, `W/"1"`},
		{"one in the header", `ETag: "2"`, `{"name":"ann","etag":"W/\"1\""}`, `"2"`},
		{"a line of its own in the body", "", `{"name":"ann","etag":"1\r\nX-Evil: 1"}`, ""},
		{"a star in the header", "ETag: *", `{"name":"ann"}`, ""},
		{"what is no UTF-8 in the header", "ETag: \"\xff\"", `{"name":"ann"}`, ""},
	} {
		server := armtest.Start(t, armtest.Exchange{Call: "GET " + at, Status: 200, Header: test.header, Body: test.body})
		out, err := fresh(t, server.URL).Observe(t.Context(), subject())
		if err != nil || out.GetObservation().GetEtag() != test.want {
			t.Errorf("%s: the entity tag is %q (%v), want %q", test.reason, out.GetObservation().GetEtag(), err, test.want)
		}
	}
}

// TestUIDInAnotherPrecision is a table over times of creation in later answers. A time that can
// be the known one, truncated or rounded, is returned in the known form.
func TestUIDInAnotherPrecision(t *testing.T) {
	const exact = "2026-01-02T03:04:05.6789123Z"
	for _, test := range []struct {
		reason, known, answered string
		isSame                  bool
	}{
		{"the same", exact, exact, true},
		{"in another zone", exact, "2026-01-02T05:04:05.6789123+02:00", true},
		{"truncated to milliseconds", exact, "2026-01-02T03:04:05.678Z", true},
		{"rounded to milliseconds", exact, "2026-01-02T03:04:05.679Z", true},
		{"rounded to 1/300 s", exact, "2026-01-02T03:04:05.677Z", true},
		{"rounded to microseconds", exact, "2026-01-02T03:04:05.678912Z", true},
		{"truncated to seconds", exact, "2026-01-02T03:04:05Z", true},
		{"rounded to seconds", exact, "2026-01-02T03:04:06Z", true},
		{"more precise than the known one", "2026-01-02T03:04:05Z", exact, true},
		{"with zeros at its end", "2026-01-02T03:04:05.1Z", "2026-01-02T03:04:05.1000000Z", true},
		{"another time within the second", exact, "2026-01-02T03:04:05.9123456Z", false},
		{"another second", exact, "2026-01-02T03:04:07Z", false},
		{"the second before", exact, "2026-01-02T03:04:04Z", false},
		{"another day", "2026-01-02T03:04:05Z", "2026-01-03T03:04:05Z", false},
		{"no time is known", "", exact, false},
		{"a known UID that is no time", "x", exact, false},
	} {
		body := `{"systemData":{"createdAt":"` + test.answered + `"}}`
		server := armtest.Start(t, armtest.Exchange{Call: "GET " + at, Status: 200, Body: body})
		out, err := fresh(t, server.URL).Observe(t.Context(), subject(func(r *v1.Resource) { r.Uid = test.known }))
		if got := out.GetObservation().GetUid(); err != nil || (got == test.known) != test.isSame || got == "" {
			t.Errorf("%s: the UID is %q (%v)", test.reason, got, err)
		}
	}
}

// TestNoTimeOfCreation checks that an answer without a time of creation has no UID, even if one
// is known.
func TestNoTimeOfCreation(t *testing.T) {
	server := armtest.Start(t, armtest.Exchange{Call: "GET " + at, Status: 200, Body: `{"name":"ann"}`})
	out, err := fresh(t, server.URL).Observe(t.Context(), subject(func(r *v1.Resource) { r.Uid = "2026-01-02T03:04:05Z" }))
	if got := out.GetObservation().GetUid(); err != nil || got != "" {
		t.Errorf("the UID is %q (%v)", got, err)
	}
}
