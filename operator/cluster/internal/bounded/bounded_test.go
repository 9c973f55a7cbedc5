package bounded_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/cluster/internal/bounded"
)

func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	for _, test := range []struct {
		text, want string
	}{{"", ""}, {"1234", ""}, {"12345", "it is longer than 4 bytes"}} {
		if err := os.WriteFile(name, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := bounded.ReadFile(name, 4)
		switch {
		case test.want == "" && (err != nil || string(got) != test.text):
			t.Errorf("%q: %q, %v", test.text, got, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || got != nil):
			t.Errorf("%q: %q, %v, want %s", test.text, got, err, test.want)
		}
	}
	if _, err := bounded.ReadFile(name+"-missing", 4); !os.IsNotExist(err) {
		t.Error(err)
	}
}
