package releases_test

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/plugin/internal/releases"
)

func TestFollows(t *testing.T) {
	before := releases.Release{Release: "v0.1.0", Kinds: map[string]int{"provider": 1, "credentials": 1}}
	tests := []struct {
		reason, release string
		kinds           map[string]int
		want            string
	}{
		{"nothing rises", "v0.1.1", map[string]int{"provider": 1, "credentials": 1}, ""},
		{"each kind rises by one", "v0.2.0", map[string]int{"provider": 2, "credentials": 2}, ""},
		{"a kind is new", "v0.2.0-alpha.1", map[string]int{"provider": 1, "credentials": 1, "secrets": 1}, ""},
		{"two at once", "v0.2.0", map[string]int{"provider": 3, "credentials": 1}, "provider rises from v1 to v3, more than one version in a release"},
		{"a patch release", "v0.1.1", map[string]int{"provider": 2, "credentials": 1}, "provider rises from v1 to v2 in a patch release"},
		{"a kind begins at 2", "v0.2.0", map[string]int{"provider": 1, "credentials": 1, "secrets": 2}, "secrets rises from v0 to v2"},
		{"a version is taken back", "v0.2.0", map[string]int{"provider": 0, "credentials": 1}, "provider falls from v1 to v0"},
		{"a kind is taken away", "v0.2.0", map[string]int{"provider": 1}, "credentials is gone"},
		{"a name that is none", "next", nil, `"next" is not a release`},
		{"an earlier release", "v0.0.9", map[string]int{"provider": 1, "credentials": 1}, "it is not later than v0.1.0"},
		{"the same release", "v0.1.0", map[string]int{"provider": 1, "credentials": 1}, "it is not later than v0.1.0"},
		{"a preview of the same release", "v0.1.0-rc.1", map[string]int{"provider": 1, "credentials": 1}, "it is not later than v0.1.0"},
		{"numbers are no texts", "v0.10.0", map[string]int{"provider": 2, "credentials": 1}, ""},
	}
	for _, test := range tests {
		err := releases.Follows(before, releases.Release{Release: test.release, Kinds: test.kinds})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error = %v, want it to contain %q", test.reason, err, test.want)
		}
	}
}

// TestNamesRise checks the order of the names of releases.
func TestNamesRise(t *testing.T) {
	names := []string{"v0.1.0-1", "v0.1.0-2", "v0.1.0-10", "v0.1.0-alpha", "v0.1.0-alpha.1", "v0.1.0-alpha.2", "v0.1.0-alpha.10", "v0.1.0-beta", "v0.1.0", "v0.1.1", "v0.2.0", "v0.10.0", "v1.0.0"}
	for i, before := range names {
		for j, name := range names {
			err := releases.Follows(releases.Release{Release: before}, releases.Release{Release: name})
			if (err == nil) != (j > i) {
				t.Errorf("%s after %s: error = %v", name, before, err)
			}
		}
	}
}
