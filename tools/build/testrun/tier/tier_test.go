package tier_test

import (
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
)

// TestTiers requires that a longer tier does what a shorter one does, too.
func TestTiers(t *testing.T) {
	for _, test := range []struct {
		name, long, soak string
		isLong, isSoak   bool
	}{
		{"test", "", "", false, false},
		{"long", "1", "", true, false},
		{"soak", "", "1", true, true},
		{"both", "1", "1", true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv(tier.LongVariable, test.long)
			t.Setenv(tier.SoakVariable, test.soak)
			if tier.IsLong() != test.isLong || tier.IsSoak() != test.isSoak {
				t.Errorf("long %t, soak %t", tier.IsLong(), tier.IsSoak())
			}
			if got := tier.IfLong(1, 2) == 2; got != test.isLong {
				t.Errorf("IfLong chooses the long value: %t", got)
			}
			if got := tier.IfSoak(1, 2) == 2; got != test.isSoak {
				t.Errorf("IfSoak chooses the value of a soak: %t", got)
			}
			runs(t, test.isLong, tier.Long)
			runs(t, test.isSoak, tier.Soak)
		})
	}
}

// runs requires that a test runs on, or that it is skipped.
func runs(t *testing.T, want bool, skip func(testing.TB, string)) {
	t.Helper()
	ran := false
	t.Run("skip", func(t *testing.T) {
		skip(t, "takes long")
		ran = true
	})
	if ran != want {
		t.Errorf("it runs: %t", ran)
	}
}
