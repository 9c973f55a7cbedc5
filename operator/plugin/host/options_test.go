package host

import (
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/plugin/internal/serving"
)

// TestDefaults checks the defaults that the documentation of Options names.
func TestDefaults(t *testing.T) {
	got := must(Options{}.complete())
	want := Options{
		CallTimeout: time.Minute, StartTimeout: 10 * time.Second, StopTimeout: 2 * time.Second, HangTimeout: 2 * time.Second,
		MessageLimit: 16 << 20, StreamLimit: 64 << 30, Parallel: got.Parallel, Log: slog.Default(),
		Restart: Restart{First: 100 * time.Millisecond, Longest: 10 * time.Second, Limit: 5, Stable: time.Minute, Cooldown: 5 * time.Minute},
	}
	if !reflect.DeepEqual(got, want) || got.Parallel < 2 {
		t.Errorf("got %+v, want %+v", got, want)
	}
	given := Options{
		CallTimeout: 1, StartTimeout: 2, StopTimeout: 3, HangTimeout: 4, MessageLimit: 5, StreamLimit: -1, Parallel: 6, Log: slog.New(slog.DiscardHandler),
		Restart: Restart{First: 7, Longest: 8, Limit: 9, Stable: 10, Cooldown: 11},
	}
	if got := must(given.complete()); !reflect.DeepEqual(got, given) {
		t.Errorf("%+v became %+v", given, got)
	}
}

// TestLockedOrUnlocked checks which plugins may run without a digest.
func TestLockedOrUnlocked(t *testing.T) {
	for _, test := range []struct {
		reason   string
		plugin   Plugin
		unlocked bool
		allowed  bool
	}{
		{"a digest", Plugin{Path: "p", Digest: "00"}, false, true},
		{"none", Plugin{Path: "p"}, false, false},
		{"none, which is allowed", Plugin{Path: "p"}, true, true},
		{"none, in memory", InMemory("p", &serving.Server{}), false, true},
	} {
		if _, err := (Options{Plugins: []Plugin{test.plugin}, Unlocked: test.unlocked}).complete(); (err == nil) != test.allowed {
			t.Errorf("%s: error = %v", test.reason, err)
		}
	}
}

func TestPatternsOfVariables(t *testing.T) {
	for pattern, isGood := range map[string]bool{"PATH": true, "AZURE_*": true, "": false, "[": false} {
		err := CheckEnvironment([]string{"A", pattern})
		if (err == nil) != isGood {
			t.Errorf("%q: error = %v", pattern, err)
		}
		for _, o := range []Options{{Environment: []string{pattern}}, {Plugins: []Plugin{{Path: "p", Environment: []string{pattern}}}, Unlocked: true}} {
			if _, err := o.complete(); (err == nil) != isGood {
				t.Errorf("options with %q: error = %v", pattern, err)
			}
		}
	}
}

// TestVariablesOfPlugins checks that a plugin gets the harmless variables, and those that its own
// patterns allow, or else those of all plugins.
func TestVariablesOfPlugins(t *testing.T) {
	t.Setenv("TZ", "UTC")
	t.Setenv("STRATA_TEST_A", "1")
	t.Setenv("STRATA_TEST_B", "2")
	t.Setenv("STRATA_OTHER", "3")
	for _, test := range []struct {
		reason string
		ofAll  []string
		own    []string
		want   string
	}{
		{"nothing is named", nil, nil, "TZ=UTC"},
		{"those of all plugins", []string{"STRATA_TEST_*"}, nil, "STRATA_TEST_A=1 STRATA_TEST_B=2 TZ=UTC"},
		{"its own, instead of those", []string{"STRATA_TEST_*"}, []string{"STRATA_OTHER", "*_B"}, "STRATA_OTHER=3 STRATA_TEST_B=2 TZ=UTC"},
		{"none, instead of those", []string{"STRATA_TEST_*"}, []string{}, "TZ=UTC"},
	} {
		got := Options{Environment: test.ofAll}.environment(Plugin{Environment: test.own})
		got = slices.DeleteFunc(got, func(entry string) bool {
			name, _, _ := strings.Cut(entry, "=")
			return name != "TZ" && slices.Contains(Harmless, name)
		})
		slices.Sort(got)
		if text := strings.Join(got, " "); text != test.want {
			t.Errorf("%s: the plugin gets %s, want %s", test.reason, text, test.want)
		}
	}
}
