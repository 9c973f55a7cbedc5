package releases_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/plugin/internal/kinds"
	"github.com/stratakube/strata/operator/plugin/internal/releases"
)

const folder = "../../releases"

func read(t *testing.T) []releases.Release {
	t.Helper()
	all, err := releases.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("nothing has been released")
	}
	return all
}

// TestVersionsRiseOnceARelease checks the record by its rule, with today's code as the next
// release.
func TestVersionsRiseOnceARelease(t *testing.T) {
	newest, err := releases.Newest(kinds.All)
	if err != nil {
		t.Fatal(err)
	}
	var before releases.Release
	for _, r := range append(read(t), releases.Release{Release: "v999.0.0", Kinds: newest}) {
		if err := releases.Follows(before, r); err != nil {
			t.Error(err)
		}
		before = r
	}
}

// TestReleasedInterfacesStay compares the released interfaces with those of today. A difference
// needs a new version.
func TestReleasedInterfacesStay(t *testing.T) {
	now, err := releases.Interfaces(kinds.All)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range read(t) {
		then, err := os.ReadFile(filepath.Join(folder, r.Release, releases.InterfaceFile))
		if err != nil {
			t.Fatal(err)
		}
		if err := releases.Changed(string(then), now); err != nil {
			t.Errorf("since %s:\n%v", r.Release, err)
		}
	}
}

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
	}
	for _, test := range tests {
		err := releases.Follows(before, releases.Release{Release: test.release, Kinds: test.kinds})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error = %v, want it to contain %q", test.reason, err, test.want)
		}
	}
}

func TestChanged(t *testing.T) {
	const then = "a.v1 x.A\na.v1 method Get(int) error\n"
	tests := []struct{ reason, now, want string }{
		{"a later version is no change", then + "a.v2 y.A\na.v2 method Get(string) error\n", ""},
		{"a removed method", "a.v1 x.A\n", "is gone or different: a.v1 method Get(int) error"},
		{"a changed signature", "a.v1 x.A\na.v1 method Get(string) error\n", "is new in a released version: a.v1 method Get(string) error"},
		{"an added method", then + "a.v1 method Put(int) error\n", "is new in a released version: a.v1 method Put(int) error"},
		{"a moved package", "a.v1 z.A\na.v1 method Get(int) error\n", "is gone or different: a.v1 x.A"},
	}
	for _, test := range tests {
		err := releases.Changed(then, test.now)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error = %v, want it to contain %q", test.reason, err, test.want)
		}
	}
}
