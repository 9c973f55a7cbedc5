package cli

import "testing"

func TestCanBeRequired(t *testing.T) {
	tests := []struct {
		version string
		want    bool
	}{
		{"v0.1.0", true},
		{"v1.2.3-rc.1", true},
		{"v0.0.0-packed.h0123456789ab", true},
		{"v0.1.1-packed.h0123456789ab", true},
		{"", false},
		{"(devel)", false},
		{"v0.0.0-20260101000000-0123456789ab", false},
		{"v0.1.1-0.20260101000000-0123456789ab", false},
		{"v0.1.1-0.20260101000000-0123456789ab+dirty", false},
		{"v0.1.0+dirty", false},
	}
	for _, test := range tests {
		if got := canBeRequired(test.version); got != test.want {
			t.Errorf("%q: %v", test.version, got)
		}
	}
}
