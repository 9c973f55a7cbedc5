package diag_test

import (
	"testing"

	"github.com/stratakube/strata/generator/internal/diag"
)

func TestNearest(t *testing.T) {
	names := []string{"PoolProperties", "Pool", "poolName", "Bed", "output"}
	tests := []struct{ reason, name, want string }{
		{"letter case is free", "pool", "Pool"},
		{"a letter too much", "Pooll", "Pool"},
		{"a letter too few", "poolNme", "poolName"},
		{"letters changed", "PoolPropertys", "PoolProperties"},
		{"two neighbours swapped are one mistake", "ouptut", "output"},
		{"nothing is near", "Account", ""},
		{"a short name is not near another", "ab", ""},
		{"one letter in three may be wrong, not more", "Bxx", ""},
		{"nothing to choose from", "Pool", ""},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			candidates := names
			if tt.reason == "nothing to choose from" {
				candidates = nil
			}
			if got := diag.Nearest(tt.name, candidates); got != tt.want {
				t.Errorf("nearest to %q is %q, want %q", tt.name, got, tt.want)
			}
		})
	}
}
