package older_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/generator/internal/analysis/older"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/cputime"
	"github.com/stratakube/strata/generator/internal/model"
)

// grown links a resource with a version, and previews after it. The last of these requires all
// properties.
func grown(t *testing.T, properties, previews int) *chain.Chain {
	t.Helper()
	var b strings.Builder
	b.WriteString("resource example.com/pools\n  kind Pool pools\n  group example.com\n  fact scope \"Cluster\"\n")
	for i := range previews + 1 {
		name := fmt.Sprintf("v2alpha%d", i)
		if i == 0 {
			name = "v1"
		}
		fmt.Fprintf(&b, "  version %s\n    source crd pools.yaml pools\n    spec &PoolSpec\n    def PoolSpec object\n", name)
		for p := range properties {
			switch {
			case i == previews:
				fmt.Fprintf(&b, "      .p%05d! string(maxLength=%d)\n", p, 9)
			case p%2 == 0: // half of them are new in the last version
				fmt.Fprintf(&b, "      .p%05d string(maxLength=%d)\n", p, 10+i)
			}
		}
		b.WriteString("      .other string\n")
	}
	resources, err := model.Parse("model", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	c, problems := chain.Link(t.Context(), resources, chain.Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return c
}

// TestTimeIsLinear searches among some properties or previews, and among four times as many. What
// is quadratic takes sixteen times as long.
func TestTimeIsLinear(t *testing.T) {
	const tries, tooSteep = 4, 9
	for _, tt := range []struct {
		name                 string
		properties, previews int
		by                   [2]int
	}{
		{"properties", 12_500, 1, [2]int{4, 1}},
		{"previews", 60, 80, [2]int{1, 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			few, many := grown(t, tt.properties, tt.previews), grown(t, tt.properties*tt.by[0], tt.previews*tt.by[1])
			for try := 1; ; try++ {
				a, b := took(t, few), took(t, many)
				t.Logf("%s, and then %s", a, b)
				if float64(b) < tooSteep*float64(a) {
					return
				}
				if try == tries {
					t.Fatalf("four times as many take %.1f times as long", float64(b)/float64(a))
				}
			}
		})
	}
}

func took(t *testing.T, c *chain.Chain) time.Duration {
	t.Helper()
	began := cputime.Used()
	found := older.Find(t.Context(), c, older.Options{About: func(string) bool { return true }, Made: func(string, string, string, string) bool { return false }})
	spent := cputime.Used() - began
	if len(found) == 0 {
		t.Fatal("nothing is required")
	}
	return spent
}
